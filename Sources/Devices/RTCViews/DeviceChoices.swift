/// The devices of one kind that the window of a call offers.
public struct DeviceChoices: Sendable, Hashable {
    /// For a person.
    public var names: [String]
    /// Which of them is used; `nil` if none is.
    public var used: Int?

    public init(names: [String] = [], used: Int? = nil) {
        self.names = names
        self.used = used
    }
}
