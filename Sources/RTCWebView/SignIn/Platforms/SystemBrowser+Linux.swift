#if os(Linux)
    internal import Foundation

    /// The person's own browser, opened by `xdg-open`. Use a loopback redirect with it: nobody else can tell where a
    /// browser goes.
    public struct SystemBrowser: AuthorizationUserAgent {
        private let command: String
        private let onOpen: @Sendable (String) -> Void

        /// - Parameters:
        ///   - command: What opens an address: a program in `PATH`, or a path.
        ///   - onOpen: Called with the address that is opened, to be shown as well: there may be no browser here. It
        ///     has no secret in it.
        public init(command: String = "xdg-open", onOpen: @escaping @Sendable (String) -> Void = { _ in }) {
            self.command = command
            self.onOpen = onOpen
        }

        public func present(_ url: String, until redirect: RedirectURI) async throws -> String {
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
