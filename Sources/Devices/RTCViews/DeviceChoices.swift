/// The devices of one kind that a call window offers.
public struct DeviceChoices: Sendable, Hashable {
    /// The display names.
    public var names: [String]
    /// The index of the device in use; `nil` if there is none.
    public var used: Int?

    public init(names: [String] = [], used: Int? = nil) {
        self.names = names
        self.used = used
    }
}
