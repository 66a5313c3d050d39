/// A token, a code, a verifier or a client secret. It is never printed.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself. Do not log it.
    public let value: String

    public init(_ value: String) {
        self.value = value
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    /// An empty mirror, for `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Compares two secrets in constant time.
    public static func == (one: Secret, other: Secret) -> Bool {
        let (one, other) = (Array(one.value.utf8), Array(other.value.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
