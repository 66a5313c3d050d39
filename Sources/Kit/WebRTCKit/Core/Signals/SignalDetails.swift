/// Information that a signalling server may add to a signal: see ``SignalingServerDetailsDelegate``.
public struct SignalDetails: Sendable, Hashable {
    /// The ID of the device that sent it, such as `bob/k3v9`; `nil` if the server has no IDs for devices.
    public var device: PeerID?
    /// The name of its user; `nil` if the server knows none.
    public var name: String?
    /// Whether the server has verified the name. The kit shows the user's ID beside any other name, since its owner may have
    /// chosen somebody else's.
    public var nameIsProven: Bool
    /// Why the server refuses a call; human-readable. Only for signals of the kind ``SignalSummary/Kind/unavailable``.
    public var refusal: String?

    public init(device: PeerID? = nil, name: String? = nil, nameIsProven: Bool = false, refusal: String? = nil) {
        self.device = device
        self.name = name
        self.nameIsProven = nameIsProven
        self.refusal = refusal
    }
}

extension Call.Peer {
    mutating func take(_ details: SignalDetails) {
        guard details.device != nil || details.name != nil else { return }
        device = details.device
        name = details.name
        nameIsProven = details.nameIsProven && details.name != nil
    }
}
