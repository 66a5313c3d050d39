/// The synchronization source of an RTP stream (RFC 3550, section 3). Chosen at random, and compared only for equality.
@frozen
public struct SynchronizationSource: Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt32

    @inlinable
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
}

/// The number of an RTP packet within its stream (RFC 3550, section 5.1).
@frozen
public struct RTPSequenceNumber: SerialNumber {
    public var rawValue: UInt16

    @inlinable
    public init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

/// The sampling instant of an RTP packet's payload, in ticks of the codec's clock (RFC 3550, section 5.1).
@frozen
public struct RTPTimestamp: SerialNumber {
    public var rawValue: UInt32

    @inlinable
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

/// The format of an RTP packet's payload, 0 to 127, by its number in the descriptions (RFC 3550, section 5.1).
@frozen
public struct RTPPayloadType: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt8

    /// The lower seven bits of `rawValue`.
    @inlinable
    public init(_ rawValue: UInt8) {
        self.rawValue = rawValue & 0x7F
    }

    public var description: String { String(rawValue) }
}

/// Extends the 16-bit sequence numbers of an RTP stream to numbers that do not wrap.
@frozen
public struct SequenceNumberExtender: Sendable {
    /// The highest number so far, or `nil` before the first.
    public private(set) var highest: Int64?

    @inlinable
    public init() {}

    /// The extended number that is nearest to the highest one so far, which it may raise.
    public mutating func extend(_ number: RTPSequenceNumber) -> Int64 {
        guard let highest else {
            // Starts one cycle (65,536) up, so that packets from before the first one that arrive late still get
            // positive numbers.
            let first = Int64(number.rawValue) + 65_536
            self.highest = first
            return first
        }
        let extended = highest + Int64(RTPSequenceNumber(UInt16(truncatingIfNeeded: highest)).distance(to: number))
        if extended > highest { self.highest = extended }
        return extended
    }
}
