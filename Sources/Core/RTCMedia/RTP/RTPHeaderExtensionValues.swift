public import RTCWire

/// A `mid` or a `rid` as packets carry it: at most 16 bytes of UTF-8, held without allocation.
///
/// 16 bytes are what the one-byte form of RFC 8285 can carry. A longer identifier does not become a value, neither from
/// a description nor from a packet; its packets are told by their SSRC and payload type instead.
@frozen
@usableFromInline package struct RTPStreamName: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline package static var maximumLength: Int { 16 }

    /// The bytes in order, the first in the highest bits; unused bytes are 0.
    private var high: UInt64 = 0
    private var low: UInt64 = 0
    /// Number of bytes, 1 to 16.
    @usableFromInline package private(set) var count: Int = 0

    /// - Returns: `nil` when `text` is empty or longer than 16 bytes.
    @usableFromInline package init?(_ text: String) {
        for byte in text.utf8 {
            guard count < Self.maximumLength else { return nil }
            append(byte)
        }
        guard count > 0 else { return nil }
    }

    init?(_ bytes: RawSpan) {
        guard (1...Self.maximumLength).contains(bytes.byteCount) else { return nil }
        for offset in 0..<bytes.byteCount {
            append(bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
        }
    }

    private mutating func append(_ byte: UInt8) {
        if count < 8 {
            high |= UInt64(byte) << UInt64(56 - 8 * count)
        } else {
            low |= UInt64(byte) << UInt64(120 - 8 * count)
        }
        count += 1
    }

    private func byte(at index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: index < 8 ? high >> UInt64(56 - 8 * index) : low >> UInt64(120 - 8 * index))
    }

    func write(to writer: inout ByteWriter) {
        for index in 0..<count { writer.write(byte(at: index)) }
    }

    @usableFromInline package var description: String {
        String(decoding: (0..<count).map(byte(at:)), as: UTF8.self)
    }
}

/// When a packet left, on the sender's clock, in steps of 2⁻¹⁸ s and modulo 64 s (abs-send-time).
@frozen
@usableFromInline package struct AbsoluteSendTime: Hashable, Sendable {
    /// 24 bits: 6 of seconds, 18 of their fraction.
    @usableFromInline package let rawValue: UInt32

    @usableFromInline package init(rawValue: UInt32) {
        self.rawValue = rawValue & 0xFF_FFFF
    }

    @usableFromInline package init(_ instant: Instant) {
        let (seconds, nanoseconds) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        // A negative remainder becomes a carry: all arithmetic is modulo 2²⁴.
        let fraction = (nanoseconds << 18) / 1_000_000_000
        self.init(rawValue: UInt32(truncatingIfNeeded: (seconds << 18) &+ fraction))
    }

    /// The time from `earlier` to this one, between −32 s and 32 s.
    @usableFromInline package func since(_ earlier: AbsoluteSendTime) -> TimeDelta {
        let steps = (rawValue &- earlier.rawValue) & 0xFF_FFFF
        let signed = steps < 0x80_0000 ? Int64(steps) : Int64(steps) - 0x100_0000
        return TimeDelta(nanoseconds: (signed * 1_000_000_000) >> 18)
    }
}

/// The number of a packet among all that its transport carries, whatever their streams.
@frozen
@usableFromInline package struct TransportSequenceNumber: SerialNumber {
    @usableFromInline package var rawValue: UInt16

    @inlinable
    package init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

/// The audio level of a packet ([RFC 6464](https://www.rfc-editor.org/rfc/rfc6464#section-3)).
@frozen
@usableFromInline package struct PacketAudioLevel: Hashable, Sendable {
    /// Whether the packet contains speech.
    @usableFromInline package var hasVoice: Bool
    /// In −dBov: 0 is the loudest, 127 silence.
    @usableFromInline package var level: UInt8

    @usableFromInline package init(hasVoice: Bool, level: UInt8) {
        self.hasVoice = hasVoice
        self.level = min(level, 127)
    }
}

/// The shortest and longest delay with which a receiver shows a frame, in steps of 10 ms.
@frozen
@usableFromInline package struct PlayoutDelay: Hashable, Sendable {
    @usableFromInline package var minimum: TimeDelta
    @usableFromInline package var maximum: TimeDelta

    /// Both are rounded to 10 ms, and at most 40,950 ms.
    @usableFromInline package init(minimum: TimeDelta, maximum: TimeDelta) {
        self.minimum = minimum
        self.maximum = maximum
    }

    init(rawValue: UInt32) {
        minimum = .milliseconds(Int64(rawValue >> 12 & 0xFFF) * 10)
        maximum = .milliseconds(Int64(rawValue & 0xFFF) * 10)
    }

    /// 12 bits of minimum, 12 bits of maximum.
    var rawValue: UInt32 {
        func steps(_ delay: TimeDelta) -> UInt32 { UInt32(min(max((delay.milliseconds + 5) / 10, 0), 0xFFF)) }
        return steps(minimum) << 12 | steps(maximum)
    }
}

/// The capture time, by the capturer's clock (abs-capture-time).
@frozen
@usableFromInline package struct AbsoluteCaptureTime: Hashable, Sendable {
    @usableFromInline package var timestamp: NTPTimestamp
    /// The sender's estimate of how far the capturer's clock is ahead of its own, in units of 2⁻³² s; `nil` if it is
    /// not sent.
    @usableFromInline package var clockOffset: Int64?

    @usableFromInline package init(timestamp: NTPTimestamp, clockOffset: Int64? = nil) {
        self.timestamp = timestamp
        self.clockOffset = clockOffset
    }
}
