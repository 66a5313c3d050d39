#if os(Linux)
    import DuetShell
    import OAuth
    import RTCWebView

    enum LoginBrowser {
        /// The user's browser, with `xdg-open`.
        ///
        /// - Throws: ``Refusal`` for a redirect that no browser can pass to a program in a terminal.
        static func make(
            _ redirect: RedirectURI, onOpen: @escaping @Sendable (String) -> Void
        ) throws(Refusal) -> any AuthorizationUserAgent {
            guard redirect.kind == .loopback else {
                throw Refusal(
                    "--redirect \(redirect): a browser comes back to http://127.0.0.1/…; or use --web-view")
            }
            return SystemBrowser(onOpen: onOpen)
        }
    }

    enum LoginView {
        /// A window of this program.
        static func make() async throws -> any AuthorizationUserAgent {
            #if WebKitGTK
                return await WebViewSignIn(context: .ephemeral())
            #else
                throw Refusal("--web-view: this duet was built without a web view (the trait WebKitGTK)")
            #endif
        }
    }

    enum LoginStore {
        static func make() throws(OAuthError) -> any TokenStore { SystemTokenStore() }
    }

    enum LoginTransport {
        /// - Parameter trust: A PEM file of certificate authorities.
        static func make(trust: String?) -> any OAuthTransport { SystemTransport(trustedFile: trust) }
    }
#endif
