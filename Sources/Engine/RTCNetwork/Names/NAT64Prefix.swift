internal import RTCWire

/// The IPv6 prefix for IPv4 addresses in a network without IPv4 (RFC 6052).
struct NAT64Prefix: Hashable, Sendable {
    /// The prefix, padded with zeros.
    let ip: IPAddress
    /// Its length in bits: 32, 40, 48, 56, 64 or 96.
    let length: Int

    /// The lengths that RFC 6052 allows (section 2.2), the usual one first.
    static let lengths = [96, 64, 56, 48, 40, 32]

    /// 64:ff9b::/96 (RFC 6052, section 2.1).
    static let wellKnown = NAT64Prefix(ip: IPAddress(v6High: 0x0064_FF9B_0000_0000, low: 0), length: 96)

    /// - Returns: `nil` for a length that RFC 6052 does not allow, or for an IPv4 address.
    init?(_ ip: IPAddress, length: Int) {
        guard Self.lengths.contains(length), let halves = ip.v6Halves else { return nil }
        let high = length < 64 ? halves.high & ~(UInt64.max >> UInt64(length)) : halves.high
        let low = length == 96 ? halves.low & ~0xFFFF_FFFF : 0
        self.init(ip: IPAddress(v6High: high, low: low), length: length)
    }

    private init(ip: IPAddress, length: Int) {
        self.ip = ip
        self.length = length
    }

    /// Embeds an IPv4 address in an IPv6 one (RFC 6052, section 2.2):
    ///
    /// ```
    /// +--+---+---+---+---+---+---+---+---+---+---+---+---+---+---+---+---+
    /// |PL| 0-------------32--40--48--56--64--72--80--88--96--104---------|
    /// +--+---+---+---+---+---+---+---+---+---+---+---+---+---+---+---+---+
    /// |32|     prefix    |v4(32)         | u | suffix                    |
    /// |40|     prefix        |v4(24)     | u |(8)| suffix                |
    /// |48|     prefix            |v4(16) | u | (16)  | suffix            |
    /// |56|     prefix                |(8)| u |  v4(24)   | suffix        |
    /// |64|     prefix                    | u |   v4(32)      | suffix    |
    /// |96|     prefix                                    |    v4(32)     |
    /// +--+---+---+---+---+---+---+---+---+---+---+---+---+---+---+---+---+
    /// ```
    ///
    /// - Returns: IPv6 addresses unchanged.
    func embedding(_ address: IPAddress) -> IPAddress {
        guard let bits = address.v4Bits, let prefix = ip.v6Halves else { return address }
        let v4 = UInt64(bits)
        switch length {
        case 96: return IPAddress(v6High: prefix.high, low: prefix.low | v4)
        case 64: return IPAddress(v6High: prefix.high, low: v4 << 24)
        default:
            // The rest follows after the octet u, which stays zero.
            let after = UInt64(length - 32)
            return IPAddress(v6High: prefix.high | v4 >> after, low: (v4 & (1 << after - 1)) << (56 - after))
        }
    }

    /// Extracts the IPv4 address from an IPv6 address with this prefix (RFC 6052, section 2.3); `nil` for others.
    func extracting(from address: IPAddress) -> IPAddress? {
        guard let halves = address.v6Halves, Self(address, length: length) == self else { return nil }
        // The octet u must be zero, except with /96, where it is not reserved.
        if length != 96, halves.low >> 56 != 0 { return nil }
        switch length {
        case 96: return IPAddress(v4: UInt32(truncatingIfNeeded: halves.low))
        case 64: return IPAddress(v4: UInt32(truncatingIfNeeded: halves.low >> 24))
        default:
            let after = UInt64(length - 32)
            let upper = halves.high << after
            let lower = after == 0 ? 0 : (halves.low << 8) >> (64 - after)
            return IPAddress(v4: UInt32(truncatingIfNeeded: upper | lower))
        }
    }
}

extension NAT64Prefix {
    /// The name queried for AAAA, which it lacks: a network that synthesizes addresses answers with its prefix (RFC
    /// 7050).
    static let discoveryName = "ipv4only.arpa"

    /// The addresses of ``discoveryName`` (RFC 7050, section 8.2).
    private static let wellKnownAddresses = [IPAddress(192, 0, 0, 170), IPAddress(192, 0, 0, 171)]

    /// The prefixes in a name server's response for ``discoveryName`` (RFC 7050, section 3), at most 4.
    ///
    /// Ignores addresses without one of the two well-known IPv4 addresses. A prefix found with both is preferred to one
    /// of another length, which may match by chance.
    static func discovered(in answers: [IPAddress]) -> [NAT64Prefix] {
        var found: [NAT64Prefix: Set<IPAddress>] = [:]
        var order: [NAT64Prefix] = []
        for answer in answers.prefix(16) where answer.isIPv6 && !answer.isIPv4Mapped {
            for length in lengths {
                guard let prefix = NAT64Prefix(answer, length: length), !prefix.ip.isUnspecified,
                    let inside = prefix.extracting(from: answer), wellKnownAddresses.contains(inside)
                else { continue }
                if found[prefix] == nil { order.append(prefix) }
                found[prefix, default: []].insert(inside)
            }
        }
        let complete = order.filter { found[$0]?.count == wellKnownAddresses.count }
        return Array((complete.isEmpty ? order : complete).prefix(4))
    }
}
