/// A value with a secret, or with what belongs in no log: interpolation, debuggers and `dump` show its `description` alone.
///
/// What else is harmless may be shown by a `customMirror` of the type's own.
package protocol Confidential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Confidential {
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
