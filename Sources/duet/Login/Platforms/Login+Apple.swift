#if !os(Linux)
    import RTCWebView

    enum LoginBrowser {
        /// The system's sheet for signing in.
        static func make(onOpen: @escaping @Sendable (String) -> Void) -> any AuthorizationUserAgent { SystemBrowser() }
    }

    enum LoginView {
        static func make() async throws -> any AuthorizationUserAgent {
            throw LoginRefusal("--web-view: a program in a terminal has no window on this system")
        }
    }

    enum LoginTransport {
        /// - Parameter trust: Not used: the system's keychain says whom to trust.
        static func make(trust: String?) -> any OAuthTransport { SystemTransport() }
    }
#endif
