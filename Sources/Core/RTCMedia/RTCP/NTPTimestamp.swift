public import RTCWire

/// A wall-clock time of 64 bits: seconds since 1900, and their fraction (RFC 3550, section 4).
@frozen
@usableFromInline package struct NTPTimestamp: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline package var rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The middle 32 bits, by which reports refer to one another.
    @inlinable
    package var middle: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }

    /// The time from `earlier` to this one. The numbers wrap in 2036, which a difference does not notice.
    @usableFromInline package func since(_ earlier: NTPTimestamp) -> TimeDelta {
        let difference = Int64(bitPattern: rawValue &- earlier.rawValue)
        let seconds = difference >> 32
        let fraction = ((difference & 0xFFFF_FFFF) * 1_000_000_000) >> 32
        return TimeDelta(nanoseconds: seconds * 1_000_000_000 + fraction)
    }

    /// The time `delta` after this one.
    @usableFromInline package func advanced(by delta: TimeDelta) -> NTPTimestamp {
        let (seconds, rest) = delta.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = (rest << 32) / 1_000_000_000
        return NTPTimestamp(rawValue: rawValue &+ UInt64(bitPattern: (seconds << 32) &+ fraction))
    }

    @usableFromInline package var description: String { "\(rawValue >> 32).\(rawValue & 0xFFFF_FFFF)" }
}

/// The relation of the wall clock to the monotonic one, for RTCP: its value at one `Instant`.
///
/// The cores read no clock. The peer's owner sets this relation once; from then on both clocks are assumed to run
/// equally, so that a correction of the system's time does not affect the synchronization of audio and video.
@usableFromInline package struct NTPClock: Sendable, Hashable {
    private let reference: NTPTimestamp
    private let instant: Instant

    /// The seconds from 1900 to 1970.
    private static let unixEpoch: Int64 = 2_208_988_800

    /// - Parameters:
    ///   - unixNanoseconds: Nanoseconds since 1970, at `instant`.
    @usableFromInline package init(unixNanoseconds: Int64, at instant: Instant) {
        reference = NTPTimestamp(rawValue: UInt64(Self.unixEpoch) << 32)
            .advanced(by: TimeDelta(nanoseconds: unixNanoseconds))
        self.instant = instant
    }

    @usableFromInline package func timestamp(at now: Instant) -> NTPTimestamp { reference.advanced(by: now - instant) }

    /// When the wall clock shows `timestamp`.
    @usableFromInline package func instant(of timestamp: NTPTimestamp) -> Instant {
        instant + timestamp.since(reference)
    }
}
