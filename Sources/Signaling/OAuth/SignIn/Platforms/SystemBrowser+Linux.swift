#if os(Linux)
    internal import Foundation

    /// The person's browser, opened with `xdg-open`. Use it with a loopback redirect, or with a custom scheme for which
    /// the app is registered.
    public struct SystemBrowser: AuthorizationUserAgent {
        private let command: String
        private let reachesApp: Bool
        private let onOpen: @Sendable (String) -> Void

        /// Creates a browser.
        ///
        /// - Parameters:
        ///   - command: The program that opens a URL: a name in `PATH`, or a path.
        ///   - reachesApp: Whether redirects with a custom scheme or link open the app (`x-scheme-handler` in its
        ///     desktop file), which passes them to ``OAuthClient/handle(openURL:)``.
        ///   - onOpen: Called with the URL that is opened, to show it too, because there may be no browser on this
        ///     machine. With a loopback redirect it is a URL of this machine, which redirects to the server during the
        ///     sign-in.
        public init(
            command: String = "xdg-open", reachesApp: Bool = false,
            onOpen: @escaping @Sendable (String) -> Void = { _ in }
        ) {
            self.command = command
            self.reachesApp = reachesApp
            self.onOpen = onOpen
        }

        public func present(_ url: String, until redirect: RedirectURI) async throws -> String {
            guard redirect.kind == .loopback || reachesApp else {
                throw OAuthError(
                    .badConfiguration,
                    "the browser's way back to this program is http://127.0.0.1/…: \(redirect) would be lost")
            }
            onOpen(url)
            try open(url)
            // The listener receives the redirect. This waits until it is cancelled.
            while true { try await Task.sleep(for: .seconds(3_600)) }
        }

        private func open(_ url: String) throws(OAuthError) {
            // Never an option, a file, or a URL of another program.
            guard let address = WebAddress(url), address.hasScheme("https") || address.hasScheme("http") else {
                throw OAuthError(.userAgentFailed, "only web addresses are opened in the browser")
            }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [command, url]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            do {
                // Not awaited: a browser may run as long as its window. Without a browser, the person opens the URL by hand.
                try process.run()
            } catch {
                throw OAuthError(
                    .userAgentFailed, "no browser can be opened: \(command) is missing (Debian: xdg-utils)")
            }
        }
    }
#endif
