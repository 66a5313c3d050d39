#if !os(Linux)
    /// Not used on Apple platforms, where apps receive redirects through schemes and links.
    final class LoopbackReceiver: Sendable {
        private init() {}

        static func whileListening<R>(
            for redirect: RedirectURI, _ body: (RedirectURI, LoopbackReceiver?) async throws -> R
        ) async throws -> R {
            try await body(redirect, nil)
        }

        func redirect() async throws -> String { throw CancellationError() }

        func expect(_ state: Secret) {}

        func loopbackRedirect(to address: String) -> String { address }
    }
#endif
