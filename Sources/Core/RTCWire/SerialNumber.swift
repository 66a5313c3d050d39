/// A number that wraps around and is compared by serial number arithmetic (RFC 1982).
///
/// Sequence numbers are types of their own, so that a stream's number is never compared with a transmission's, and
/// never with plain `<`, which is wrong once in every turn of the counter.
@usableFromInline package protocol SerialNumber: Hashable, Sendable, CustomStringConvertible {
    associatedtype Bits: FixedWidthInteger & UnsignedInteger & Sendable

    var rawValue: Bits { get set }
    init(_ rawValue: Bits)
}

extension SerialNumber {
    /// The number that follows.
    @inlinable
    package var next: Self { Self(rawValue &+ 1) }

    /// The number before.
    @inlinable
    package var previous: Self { Self(rawValue &- 1) }

    /// The number `distance` further on, modulo the width.
    @inlinable
    package func advanced(by distance: Int) -> Self { Self(rawValue &+ Bits(truncatingIfNeeded: distance)) }

    /// Steps from `self` to `other`: positive when `other` is later, in −2ⁿ⁻¹ … 2ⁿ⁻¹−1.
    @inlinable
    package func distance(to other: Self) -> Int {
        let steps = other.rawValue &- rawValue
        let half: Bits = 1 << (Bits.bitWidth - 1)
        return steps < half ? Int(truncatingIfNeeded: steps) : Int(truncatingIfNeeded: steps) - (1 << Bits.bitWidth)
    }

    /// Whether `self` comes before `other`.
    @inlinable
    package static func < (left: Self, right: Self) -> Bool { left.distance(to: right) > 0 }
    @inlinable
    package static func > (left: Self, right: Self) -> Bool { right < left }
    @inlinable
    package static func <= (left: Self, right: Self) -> Bool { left == right || left < right }
    @inlinable
    package static func >= (left: Self, right: Self) -> Bool { right <= left }

    @usableFromInline package var description: String { String(rawValue) }
}
