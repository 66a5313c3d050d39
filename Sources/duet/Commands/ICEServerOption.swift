import ArgumentParser

/// `--ice-server URL[,USERNAME,CREDENTIAL]`
///
/// The text is split at its first two commas, so that a credential may contain more of them.
struct ICEServerOption: Sendable, Hashable {
    var url: String
    var username: String?
    var credential: String?

    /// Whether this is a TURN server (RFC 7065).
    var isRelay: Bool { scheme == "turn" || scheme == "turns" }

    private var scheme: String { url.prefix { $0 != ":" }.lowercased() }

    static func parse(_ text: String) throws -> ICEServerOption {
        let parts = text.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        let server = ICEServerOption(
            url: parts[0], username: parts.count > 1 ? parts[1] : nil, credential: parts.count > 2 ? parts[2] : nil)
        guard server.url.contains(":"), ["stun", "turn", "turns"].contains(server.scheme) else {
            throw ValidationError("“\(server.url)” is not the URL of an ICE server, such as stun:stun.example.org:3478")
        }
        return server
    }
}
