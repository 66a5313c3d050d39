#if !os(Linux)
    import DuetShell
    import OAuth

    enum LoginBrowser {
        /// The system's sign-in sheet.
        ///
        /// - Throws: ``Refusal`` for the default loopback redirect, which the sheet cannot observe.
        static func make(
            _ redirect: RedirectURI, onOpen: @escaping @Sendable (String) -> Void
        ) throws(Refusal) -> any AuthorizationUserAgent {
            guard redirect.kind != .loopback else {
                throw Refusal(
                    "the sign-in of this system does not come back to a port: use --device, or --redirect with a scheme "
                        + "like com.example.duet:/signed-in that the server knows")
            }
            return SystemBrowser()
        }
    }

    enum LoginView {
        static func make() async throws -> any AuthorizationUserAgent {
            throw Refusal("--web-view: a program in a terminal has no window on this system")
        }
    }

    enum LoginStore {
        /// The Keychain, or a file if it cannot be used: for an unsigned program that was built from sources.
        static func make() throws(OAuthError) -> any TokenStore {
            switch SystemTokenStore.place {
            case .system: SystemTokenStore()
            case .file: try FileTokenStore(program: "duet")
            }
        }
    }

    enum LoginTransport {
        /// - Parameter trust: Not used: the system's keychain determines the trusted authorities.
        static func make(trust: String?) -> any OAuthTransport { SystemTransport() }
    }
#endif
