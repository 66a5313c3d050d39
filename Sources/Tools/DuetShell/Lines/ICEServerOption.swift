import RTC

/// `--ice-server URL[,USERNAME,CREDENTIAL]`
///
/// The text is split at its first two commas, so that a credential may contain more of them.
package struct ICEServerOption: Sendable, Hashable {
    package var url: String
    package var username: String?
    package var credential: String?

    /// Accepts any text, because a parser of arguments prints a refused value, and with it the credential.
    package init(argument: String) {
        let parts = argument.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        self.init(
            url: parts[0], username: parts.count > 1 ? parts[1] : nil, credential: parts.count > 2 ? parts[2] : nil)
    }

    package init(url: String, username: String? = nil, credential: String? = nil) {
        self.url = url
        self.username = username
        self.credential = credential
    }

    /// Whether this is a TURN server (RFC 7065).
    package var isRelay: Bool { (try? ICEServerURL(url))?.scheme.isRelay ?? false }
}

extension ICEServerOption: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without the credential, for logs.
    package var description: String { url }
    package var debugDescription: String { url }
    package var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
