import ArgumentParser
import RTC

/// `--ice-server URL[,USERNAME,CREDENTIAL]`
///
/// The text is split at its first two commas, so that a credential may contain more of them.
struct ICEServerOption: Sendable, Hashable {
    var url: String
    var username: String?
    var credential: String?

    /// Accepts any text, because the parser prints a refused value, and with it the credential. ``check(_:)`` refuses it.
    init(argument: String) {
        let parts = argument.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        self.init(
            url: parts[0], username: parts.count > 1 ? parts[1] : nil, credential: parts.count > 2 ? parts[2] : nil)
    }

    init(url: String, username: String? = nil, credential: String? = nil) {
        self.url = url
        self.username = username
        self.credential = credential
    }

    /// Whether this is a TURN server (RFC 7065).
    var isRelay: Bool { (try? ICEServerURL(url))?.scheme.isRelay ?? false }

    /// - Throws: `ValidationError` for the first server without a usable URL.
    static func check(_ servers: [ICEServerOption]) throws {
        for server in servers {
            do {
                _ = try ICEServerURL(server.url)
            } catch {
                throw ValidationError("the URL of --ice-server \(error)")
            }
        }
    }
}

extension ICEServerOption: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without the credential, for logs.
    var description: String { url }
    var debugDescription: String { url }
    var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
