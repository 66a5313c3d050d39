/// The synchronization source of an RTP stream (RFC 3550, section 3). Chosen at random, and compared only for equality.
@frozen
@usableFromInline package struct SynchronizationSource: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline package var rawValue: UInt32

    @inlinable
    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @usableFromInline package var description: String { String(rawValue) }
}

/// The number of an RTP packet within its stream (RFC 3550, section 5.1).
@frozen
@usableFromInline package struct RTPSequenceNumber: SerialNumber {
    @usableFromInline package var rawValue: UInt16

    @inlinable
    package init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

/// The sampling instant of an RTP packet's payload, in ticks of the codec's clock (RFC 3550, section 5.1).
@frozen
@usableFromInline package struct RTPTimestamp: SerialNumber {
    @usableFromInline package var rawValue: UInt32

    @inlinable
    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

/// The format of an RTP packet's payload, 0 to 127, by its number in the descriptions (RFC 3550, section 5.1).
@frozen
@usableFromInline package struct RTPPayloadType: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline package let rawValue: UInt8

    /// The lower seven bits of `rawValue`.
    @inlinable
    package init(_ rawValue: UInt8) {
        self.rawValue = rawValue & 0x7F
    }

    @usableFromInline package var description: String { String(rawValue) }
}
