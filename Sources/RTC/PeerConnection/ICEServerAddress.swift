internal import RTCWire

/// A STUN server's host and port, from its URL (RFC 7064): `stun:host[:port]`.
struct ICEServerAddress: Hashable {
    /// A name or a literal address, an IPv6 one without its brackets.
    let host: String
    let port: UInt16

    init(_ server: PeerConnection.ICEServer) throws(RTCError) {
        let url = server.url
        guard let colon = url.firstIndex(of: ":") else {
            throw Self.invalid(url, "it has no scheme: write “stun:host:port”")
        }
        switch url[..<colon].lowercased() {
        case "stun": break
        case "stuns", "turn", "turns":
            throw Self.invalid(url, "only “stun:” servers are supported")
        default:
            throw Self.invalid(url, "the scheme is unknown: write “stun:host:port”")
        }
        var rest = url[url.index(after: colon)...]
        guard !rest.hasPrefix("//"), !rest.contains("@"), !rest.contains("?") else {
            throw Self.invalid(url, "RFC 7064 allows a host and a port only: write “stun:host:port”")
        }
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]"),
                IPAddress(String(rest[rest.index(after: rest.startIndex)..<end])) != nil
            else { throw Self.invalid(url, "the IPv6 address is malformed") }
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
        } else {
            let end = rest.firstIndex(of: ":") ?? rest.endIndex
            host = String(rest[..<end])
            rest = rest[end...]
        }
        guard !host.isEmpty, host.utf8.count <= 253 else { throw Self.invalid(url, "the host is missing or too long") }
        if rest.isEmpty {
            port = 3478
        } else {
            guard rest.first == ":", let number = UInt16(rest.dropFirst()), number > 0 else {
                throw Self.invalid(url, "the port is not a number from 1 to 65535")
            }
            port = number
        }
    }

    private static func invalid(_ url: String, _ reason: String) -> RTCError {
        // What might be a password is not repeated.
        let shown = url.contains("@") ? "…@" + (url.split(separator: "@").last ?? "") : url
        return RTCError(code: .invalidArgument, message: "the ICE server “\(shown)” cannot be used: \(reason)")
    }
}
