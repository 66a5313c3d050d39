import RTCMedia

/// The meaning of each payload type. All sections share one transport, and therefore the payload types (RFC 9143,
/// section 9.1).
///
/// A payload type keeps its meaning for the whole session, except that a remote offer may redefine it.
struct PayloadTypeTable: Sendable {
    enum Use: Sendable, Hashable {
        /// A local codec, as in the capabilities.
        case codec(RTPCodec)
        /// Retransmissions of this payload type.
        case retransmission(of: UInt8)
        /// Redundant audio of this payload type (RFC 2198).
        case redundancy(of: UInt8)
        /// Packets that wrap video for error correction (RFC 2198).
        case protectionWrapper
        /// Error correction of video (RFC 5109).
        case protectionParity
        /// A remote meaning, current or former, that is not supported locally.
        case foreign
    }

    private var uses = [Use?](repeating: nil, count: 128)

    /// The payload types to assign: the dynamic range of RFC 3551, then what RFC 5761 leaves of the lower half.
    private static let dynamic: [UInt8] = Array(96...127) + Array(35...63)

    /// Whether a payload type could be mistaken for RTCP on a shared port (RFC 5761, section 4).
    static func isAmbiguous(_ number: UInt8) -> Bool { (64...95).contains(number) }

    /// The payload type of `use`, if assigned.
    func number(of use: Use) -> UInt8? {
        uses.firstIndex(of: use).map { UInt8(truncatingIfNeeded: $0) }
    }

    /// The payload type of `use`, assigned if necessary; `nil` when none is free.
    mutating func assign(_ use: Use) -> UInt8? {
        if let number = number(of: use) { return number }
        guard let free = firstFree(for: use) else { return nil }
        uses[Int(free)] = use
        return free
    }

    /// Whether ``assign(_:)`` would succeed.
    func canAssign(_ use: Use) -> Bool { number(of: use) != nil || firstFree(for: use) != nil }

    /// Adopts the meaning of `number` in a remote offer.
    mutating func bind(_ number: UInt8, to use: Use) {
        guard number < 128, uses[Int(number)] != use else { return }
        // The former meaning needs another payload type if it is used again, and so do its retransmissions and
        // redundancy.
        for index in uses.indices
        where uses[index] == .retransmission(of: number) || uses[index] == .redundancy(of: number) {
            uses[index] = .foreign
        }
        if use != .foreign, let previous = uses.firstIndex(of: use) { uses[previous] = .foreign }
        uses[Int(number)] = use
    }

    private func firstFree(for use: Use) -> UInt8? {
        // The payload type that Chromium uses.
        if case .redundancy = use, uses[63] == nil { return 63 }
        if case .codec(let codec) = use {
            switch codec.format {
            // The static payload types of RFC 3551, and the customary one of Opus.
            case .pcmu where uses[0] == nil && codec.clockRate == 8_000 && codec.channels == 1: return 0
            case .pcma where uses[8] == nil && codec.clockRate == 8_000 && codec.channels == 1: return 8
            case .opus where uses[111] == nil: return 111
            default: break
            }
        }
        return Self.dynamic.first { uses[Int($0)] == nil }
    }
}

/// The ID of each RTP header extension, in all sections of the session (RFC 9143, section 9.2).
struct HeaderExtensionTable: Sendable {
    private var uris: [UInt8: String] = [:]

    /// IDs for extensions without a customary one: first 12, which browsers leave free, then those of the one-byte
    /// form, where 15 is reserved (RFC 8285, section 4.2).
    private static let numbers: [UInt8] = [12] + Array(1...14) + Array(16...255)

    mutating func assign(_ uri: String) -> UInt8? {
        if let number = uris.first(where: { $0.value == uri })?.key { return number }
        let defaults = RTPHeaderExtension(uri: uri).map { [$0.defaultID] } ?? []
        guard let free = (defaults + Self.numbers).first(where: { uris[$0] == nil }) else { return nil }
        uris[free] = uri
        return free
    }

    /// Adopts the meaning of `number` in a remote offer.
    mutating func bind(_ number: UInt8, to uri: String) {
        guard uris[number] != uri else { return }
        if let previous = uris.first(where: { $0.value == uri })?.key {
            // Not free for reuse: the remote peer may still send it. Descriptions list only what both sides support.
            uris[previous] = ""
        }
        uris[number] = uri
    }
}
