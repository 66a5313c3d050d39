#if os(Linux)
    internal import Foundation

    /// The person's own browser, opened by `xdg-open`. Use a loopback redirect with it: nobody else can tell where a
    /// browser goes, unless the app is registered for a scheme of its own.
    public struct SystemBrowser: AuthorizationUserAgent {
        private let command: String
        private let reachesApp: Bool
        private let onOpen: @Sendable (String) -> Void

        /// - Parameters:
        ///   - command: What opens an address: a program in `PATH`, or a path.
        ///   - reachesApp: Whether redirects by a scheme or link open the app, which hands them to
        ///     ``OAuthClient/handle(openURL:)``: its desktop file says `x-scheme-handler`.
        ///   - onOpen: Called with the address that is opened, to be shown as well: there may be no browser here. With a
        ///     loopback redirect it is one of this machine, which leads on to the server for as long as the sign-in lasts.
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
            // The redirect comes to the port that is listened on. This ends when it is cancelled.
            while true { try await Task.sleep(for: .seconds(3_600)) }
        }

        private func open(_ url: String) throws(OAuthError) {
            // Never an option, a file, or another program's scheme.
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
                // Not waited for: a browser may stay as long as its window. Whoever has none opens the address by hand.
                try process.run()
            } catch {
                throw OAuthError(
                    .userAgentFailed, "no browser can be opened: \(command) is missing (Debian: xdg-utils)")
            }
        }
    }
#endif
