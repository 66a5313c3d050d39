public import RTCWire

/// A token, a code, a verifier or a client secret. It is never printed.
public struct Secret: Sendable, Hashable, Confidential {
    /// The secret itself. Do not log it.
    public let value: String

    public init(_ value: String) {
        self.value = value
    }

    public var description: String { "(secret)" }

    /// Compares two secrets in constant time.
    public static func == (one: Secret, other: Secret) -> Bool {
        let (one, other) = (Array(one.value.utf8), Array(other.value.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
