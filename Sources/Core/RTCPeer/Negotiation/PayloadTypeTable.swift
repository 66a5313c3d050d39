import RTCMedia

/// Which payload type stands for what. All sections share one transport, and so the numbers (RFC 9143, section 9.1).
///
/// A number that was in a description keeps its meaning for the whole session, as far as it is ours to say: what the
/// other side's offer names, it names.
struct PayloadTypeTable: Sendable {
    enum Use: Sendable, Hashable {
        /// A codec of ours, as the capabilities have it.
        case codec(RTPCodec)
        /// Retransmission of what this payload type carries.
        case retransmission(of: UInt8)
        /// Packets that carry earlier ones of this payload type along (RFC 2198).
        case redundancy(of: UInt8)
        /// Something that the other side has, or had, and we have not.
        case foreign
    }

    private var uses = [Use?](repeating: nil, count: 128)

    /// What descriptions give out: the dynamic range of RFC 3551, and then what RFC 5761 leaves of the lower half.
    private static let dynamic: [UInt8] = Array(96...127) + Array(35...63)

    /// Whether a payload type could be a packet of RTCP when both share a port (RFC 5761, section 4).
    static func isAmbiguous(_ number: UInt8) -> Bool { (64...95).contains(number) }

    /// The number that stands for `use`, if it has one.
    func number(of use: Use) -> UInt8? {
        uses.firstIndex(of: use).map { UInt8(truncatingIfNeeded: $0) }
    }

    /// The number that stands for `use`, from now on if it had none; `nil` when all are given out.
    mutating func assign(_ use: Use) -> UInt8? {
        if let number = number(of: use) { return number }
        guard let free = firstFree(for: use) else { return nil }
        uses[Int(free)] = use
        return free
    }

    /// Whether ``assign(_:)`` would find a number.
    func canAssign(_ use: Use) -> Bool { number(of: use) != nil || firstFree(for: use) != nil }

    /// The other side's offer says what `number` stands for.
    mutating func bind(_ number: UInt8, to use: Use) {
        guard number < 128, uses[Int(number)] != use else { return }
        // What it stood for needs another number, if it is wanted again. So does what goes with it.
        for index in uses.indices
        where uses[index] == .retransmission(of: number) || uses[index] == .redundancy(of: number) {
            uses[index] = .foreign
        }
        if use != .foreign, let previous = uses.firstIndex(of: use) { uses[previous] = .foreign }
        uses[Int(number)] = use
    }

    private func firstFree(for use: Use) -> UInt8? {
        // The one that Chromium gives it.
        if case .redundancy = use, uses[63] == nil { return 63 }
        if case .codec(let codec) = use {
            switch codec.format {
            // The static numbers of RFC 3551, and the one that everybody knows Opus by.
            case .pcmu where uses[0] == nil && codec.clockRate == 8_000 && codec.channels == 1: return 0
            case .pcma where uses[8] == nil && codec.clockRate == 8_000 && codec.channels == 1: return 8
            case .opus where uses[111] == nil: return 111
            default: break
            }
        }
        return Self.dynamic.first { uses[Int($0)] == nil }
    }
}

/// Which number stands for which RTP header extension, in all sections of the session (RFC 9143, section 9.2).
struct HeaderExtensionTable: Sendable {
    private var uris: [UInt8: String] = [:]

    /// For those without a customary number: one byte of header first, where 15 is reserved (RFC 8285, section 4.2),
    /// and before all else 12, which browsers leave free.
    private static let numbers: [UInt8] = [12] + Array(1...14) + Array(16...255)

    mutating func assign(_ uri: String) -> UInt8? {
        if let number = uris.first(where: { $0.value == uri })?.key { return number }
        let customary = RTPHeaderExtension(uri: uri).map { [$0.customaryID] } ?? []
        guard let free = (customary + Self.numbers).first(where: { uris[$0] == nil }) else { return nil }
        uris[free] = uri
        return free
    }

    /// The other side's offer says what `number` stands for.
    mutating func bind(_ number: UInt8, to uri: String) {
        guard uris[number] != uri else { return }
        if let previous = uris.first(where: { $0.value == uri })?.key {
            // Not free again: somebody may still use it. No description names what no side has.
            uris[previous] = ""
        }
        uris[number] = uri
    }
}
