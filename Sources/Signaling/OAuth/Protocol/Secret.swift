/// A token, a code, a verifier or a client's secret: it is compared, sent and kept, and never printed.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is. Not for logs.
    public let value: String

    public init(_ value: String) {
        self.value = value
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    /// What `dump` and a debugger's mirror see.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Takes as long for two that differ in their first byte as for two that differ in their last.
    public static func == (one: Secret, other: Secret) -> Bool {
        let (one, other) = (Array(one.value.utf8), Array(other.value.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
