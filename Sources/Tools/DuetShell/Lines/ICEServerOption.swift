package import RTC

/// `--ice-server URL[,USERNAME,CREDENTIAL]`
extension PeerConnection.ICEServer {
    /// Splits the text at its first two commas, so that a credential may contain more of them.
    ///
    /// Accepts any text, because a parser of arguments prints a refused value, and with it the credential.
    package init(argument: String) {
        let parts = argument.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        self.init(
            url: parts[0], username: parts.count > 1 ? parts[1] : nil, credential: parts.count > 2 ? parts[2] : nil)
    }

    /// Whether this is a TURN server (RFC 7065).
    package var isRelay: Bool { (try? ICEServerURL(url))?.scheme.isRelay ?? false }
}
