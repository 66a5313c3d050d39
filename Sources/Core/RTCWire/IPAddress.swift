/// An IPv4 or IPv6 address, in 24 bytes and without a heap allocation.
@frozen
public struct IPAddress: Hashable, Sendable {
    /// The upper half of an IPv6 address; 0 for IPv4.
    @usableFromInline
    var high: UInt64
    /// The lower half of an IPv6 address, or the 32 bits of an IPv4 address.
    @usableFromInline
    var low: UInt64
    /// The interface that a link-local IPv6 address belongs to (its index), or 0. Never sent to a peer.
    @usableFromInline package var zone: UInt32
    /// Whether this is an IPv4 address. An IPv4-mapped IPv6 address is not.
    public let isIPv4: Bool

    /// An IPv4 address from its 32 bits, the first byte highest.
    @inlinable
    package init(v4 bits: UInt32) {
        high = 0
        low = UInt64(bits)
        zone = 0
        isIPv4 = true
    }

    @inlinable
    public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
        self.init(v4: UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d))
    }

    /// An IPv6 address from its two halves, the first byte highest.
    @inlinable
    package init(v6High high: UInt64, low: UInt64, zone: UInt32 = 0) {
        self.high = high
        self.low = low
        self.zone = zone
        self.isIPv4 = false
    }

    /// From 4 or 16 bytes in network order; `nil` for any other number of them.
    public init?(bytes: RawSpan) {
        switch bytes.byteCount {
        case 4:
            guard let bits = bytes.uint32(at: 0) else { return nil }
            self.init(v4: bits)
        case 16:
            var reader = ByteReader(bytes)
            guard let high = reader.readUInt64(), let low = reader.readUInt64() else { return nil }
            self.init(v6High: high, low: low)
        default: return nil
        }
    }

    @inlinable
    public var isIPv6: Bool { !isIPv4 }

    /// The 32 bits of an IPv4 address, or `nil`.
    @inlinable
    package var v4Bits: UInt32? { isIPv4 ? UInt32(truncatingIfNeeded: low) : nil }

    /// The two halves of an IPv6 address, or `nil`.
    @inlinable
    package var v6Halves: (high: UInt64, low: UInt64)? { isIPv4 ? nil : (high, low) }

    /// The address in network order: 4 or 16 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        if isIPv4 {
            bytes.append(bigEndian: UInt32(truncatingIfNeeded: low))
        } else {
            bytes.append(bigEndian: high)
            bytes.append(bigEndian: low)
        }
        return bytes
    }
}

extension IPAddress {
    /// 0.0.0.0 or ::
    @usableFromInline package var isUnspecified: Bool { high == 0 && low == 0 }

    /// 127.0.0.0/8 or ::1
    public var isLoopback: Bool {
        isIPv4 ? low >> 24 == 127 : high == 0 && low == 1
    }

    /// 169.254.0.0/16 (RFC 3927) or fe80::/10 (RFC 4291)
    public var isLinkLocal: Bool {
        isIPv4 ? low >> 16 == 0xA9FE : high >> 54 == 0x3FA
    }

    /// 224.0.0.0/4 or ff00::/8
    @usableFromInline package var isMulticast: Bool {
        isIPv4 ? low >> 28 == 0xE : high >> 56 == 0xFF
    }

    /// Private use: 10/8, 172.16/12, 192.168/16 (RFC 1918), 100.64/10 (RFC 6598), fc00::/7 (RFC 4193).
    public var isPrivate: Bool {
        isIPv4
            ? low >> 24 == 10 || low >> 20 == 0xAC1 || low >> 16 == 0xC0A8 || low >> 22 == 0x191
            : high >> 57 == 0x7E
    }

    /// ::ffff:0:0/96 (RFC 4291, section 2.5.5.2)
    @usableFromInline package var isIPv4Mapped: Bool { isIPv6 && high == 0 && low >> 32 == 0xFFFF }

    /// fec0::/10, deprecated by RFC 3879.
    @usableFromInline package var isSiteLocal: Bool { isIPv6 && high >> 54 == 0x3FB }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or the canonical form of RFC 5952, without the zone.
    public var description: String {
        guard isIPv6 else {
            return "\((low >> 24) & 255).\((low >> 16) & 255).\((low >> 8) & 255).\(low & 255)"
        }
        let groups = groups
        // "::" replaces the longest run of two or more zero groups, the first if several are equally long.
        var best = 0..<0
        var index = 0
        while index < 8 {
            var end = index
            while end < 8, groups[end] == 0 { end += 1 }
            if end - index > max(best.count, 1) { best = index..<end }
            index = max(end, index + 1)
        }
        func text(_ range: Range<Int>) -> String {
            range.map { String(groups[$0], radix: 16) }.joined(separator: ":")
        }
        return best.isEmpty ? text(0..<8) : text(0..<best.lowerBound) + "::" + text(best.upperBound..<8)
    }

    private var groups: [UInt16] {
        (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> UInt64(48 - 16 * ($0 % 4))) }
    }

    /// Parses dotted decimal or any form of RFC 4291, section 2.2, without a zone; `nil` for anything else.
    public init?(_ text: String) {
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard let parsed = IPAddress.parseIPv6(text) else { return nil }
            self = parsed
        } else {
            guard let bits = IPAddress.parseIPv4(text[...]) else { return nil }
            self.init(v4: bits)
        }
    }

    private static func parseIPv4(_ text: Substring) -> UInt32? {
        guard text.utf8.count <= 15 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            // No leading zeros: some parsers read them as octal.
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
                part.utf8.count == 1 || part.first != "0", let byte = UInt8(part)
            else { return nil }
            bits = bits << 8 | UInt32(byte)
        }
        return bits
    }

    private static func parseIPv6(_ text: String) -> IPAddress? {
        guard text.utf8.count <= 45 else { return nil }
        var groups: [UInt16] = []
        var gap: Int?
        var rest = text[...]
        if rest.hasPrefix("::") {
            gap = 0
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            guard groups.count < 8 else { return nil }
            let part = rest.prefix { $0 != ":" }
            rest = rest.dropFirst(part.count)
            if part.utf8.contains(UInt8(ascii: ".")) {
                guard rest.isEmpty, groups.count <= 6, let bits = parseIPv4(part) else { return nil }
                groups += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
                break
            }
            guard (1...4).contains(part.utf8.count),
                part.utf8.allSatisfy({ (48...57).contains($0) || (65...70).contains($0 & 0xDF) }),
                let group = UInt16(part, radix: 16)
            else { return nil }
            groups.append(group)
            if rest.isEmpty { break }
            rest = rest.dropFirst()
            if rest.isEmpty { return nil }
            if rest.first == ":" {
                guard gap == nil else { return nil }
                gap = groups.count
                rest = rest.dropFirst()
            }
        }
        if let gap {
            guard groups.count < 8 else { return nil }
            groups.insert(contentsOf: repeatElement(0, count: 8 - groups.count), at: gap)
        }
        guard groups.count == 8 else { return nil }
        let halves = [groups[0..<4], groups[4..<8]].map { $0.reduce(UInt64(0)) { $0 << 16 | UInt64($1) } }
        return IPAddress(v6High: halves[0], low: halves[1])
    }
}
