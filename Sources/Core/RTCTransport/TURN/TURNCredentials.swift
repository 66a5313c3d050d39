/// The name and password for a TURN server. A REST name (`expiry:user`) identifies the user, so neither is ever
/// printed.
package struct TURNCredentials: Sendable, Hashable {
    package var username: String
    package var password: String

    package init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

extension TURNCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "TURNCredentials(not shown)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
