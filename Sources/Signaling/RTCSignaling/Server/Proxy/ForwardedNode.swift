internal import RTCWire

/// A node that a proxy reports: RFC 7239, section 6; also an element of `X-Forwarded-For`.
enum ForwardedNode: Equatable {
    case address(IPAddress)
    /// `unknown`, or a name that the proxy made up.
    case hidden

    /// Parses a node without quotes.
    ///
    /// - Returns: `nil` if the text is malformed. An IPv6 address may lack its brackets, as in `X-Forwarded-For`.
    init?(_ text: String) {
        let bytes = text.utf8
        guard (1...256).contains(bytes.count) else { return nil }
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"), let address = IPAddress(String(text[..<end].dropFirst())),
                address.isIPv6, Self.isPort(text[text.index(after: end)...])
            else { return nil }
            self = .address(address.unmapped)
            return
        }
        if let address = IPAddress(text) {
            self = .address(address.unmapped)
            return
        }
        let name = text.prefix { $0 != ":" }
        guard Self.isPort(text[name.endIndex...]) else { return nil }
        if let address = IPAddress(String(name)) {
            self = .address(address)
        } else if name.lowercased() == "unknown" || Self.isObfuscated(name) {
            self = .hidden
        } else {
            return nil
        }
    }

    /// Whether the text is empty, or a colon and a port, which may be obfuscated.
    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        guard text.hasPrefix(":") else { return false }
        let port = text.dropFirst()
        if isObfuscated(port) { return true }
        return (1...5).contains(port.utf8.count) && port.utf8.allSatisfy { (48...57).contains($0) }
            && UInt16(port) != nil
    }

    /// `obfnode` and `obfport`: an underscore, and at least one letter, digit, `.`, `_` or `-`.
    private static func isObfuscated(_ text: Substring) -> Bool {
        guard text.utf8.first == UInt8(ascii: "_"), text.utf8.count >= 2 else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }
}
