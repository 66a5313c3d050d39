internal import RTCWire

/// Networks in CIDR notation (RFC 4632, RFC 4291), such as those of trusted proxies.
public struct TrustedNetworks: Hashable, Sendable {
    private struct Network: Hashable {
        /// The first address, whose other bits are zero.
        let first: IPAddress
        let length: Int
    }

    private var networks: [Network] = []

    /// Creates an empty set.
    public init() {}

    /// Parses networks.
    ///
    /// - Parameter texts: Addresses and networks, such as `127.0.0.1`, `10.0.0.0/8` and `2001:db8::/32`.
    /// - Throws: ``SignalingServerError``
    public init(_ texts: some Sequence<String>) throws(SignalingServerError) {
        for text in texts { try insert(text) }
    }

    package var isEmpty: Bool { networks.isEmpty }

    /// Adds a network.
    ///
    /// - Parameter text: An address, or a network with the length of its prefix.
    /// - Throws: ``SignalingServerError``
    package mutating func insert(_ text: String) throws(SignalingServerError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let parsed = IPAddress(String(name)) else {
            throw .setting("“\(text)” is not an address or a network, such as 10.0.0.0/8")
        }
        guard !parsed.isIPv4Mapped else {
            throw .setting("“\(text)” is an IPv4-mapped address: write the IPv4 address")
        }
        let size = parsed.isIPv4 ? 32 : 128
        var length = size
        if parts.count == 2 {
            guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
                let number = Int(parts[1]), number <= size
            else { throw .setting("“\(text)”: the length of the prefix is 0 to \(size)") }
            length = number
        }
        let first = parsed.prefix(length)
        guard first == parsed else {
            throw .setting("“\(text)” has bits behind its prefix: write \(first)/\(length)")
        }
        let network = Network(first: first, length: length)
        if !networks.contains(network) { networks.append(network) }
    }

    /// Returns whether an address belongs to one of the networks. An IPv4-mapped address counts as its IPv4 address.
    func contains(_ address: IPAddress) -> Bool {
        let address = address.unmapped
        return networks.contains { $0.first.isIPv4 == address.isIPv4 && address.prefix($0.length) == $0.first }
    }
}

extension IPAddress {
    /// The IPv4 address of an IPv4-mapped address, otherwise the address itself; without its zone.
    var unmapped: IPAddress {
        guard let halves = v6Halves else { return self }
        guard isIPv4Mapped else { return IPAddress(v6High: halves.high, low: halves.low) }
        return IPAddress(v4: UInt32(truncatingIfNeeded: halves.low))
    }

    /// The address with only its first `length` bits. The smart shift makes a mask of zero for a length of zero.
    fileprivate func prefix(_ length: Int) -> IPAddress {
        if let bits = v4Bits { return IPAddress(v4: bits & (UInt32.max << (32 - length))) }
        guard let halves = v6Halves else { return self }
        return IPAddress(
            v6High: halves.high & (UInt64.max << max(0, 64 - length)),
            low: halves.low & (UInt64.max << min(64, 128 - length)))
    }
}
