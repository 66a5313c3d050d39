#if os(Linux)
    import RTCWebView

    enum LoginBrowser {
        /// The person's browser, by `xdg-open`.
        static func make(onOpen: @escaping @Sendable (String) -> Void) -> any AuthorizationUserAgent {
            SystemBrowser(onOpen: onOpen)
        }
    }

    enum LoginView {
        /// A window of our own.
        static func make() async throws -> any AuthorizationUserAgent {
            #if WebKitGTK
                return await WebViewSignIn(context: .ephemeral())
            #else
                throw LoginRefusal("--web-view: this duet was built without a web view (the trait WebKitGTK)")
            #endif
        }
    }

    enum LoginTransport {
        /// - Parameter trust: A file of authorities in PEM.
        static func make(trust: String?) -> any OAuthTransport { SystemTransport(trustedFile: trust) }
    }
#endif
