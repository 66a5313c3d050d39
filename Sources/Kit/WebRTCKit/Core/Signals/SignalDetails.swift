/// Information that a signalling server may add to a signal.
struct SignalDetails: Sendable, Hashable {
    /// The ID of the device that sent it.
    var device: PeerID?
    /// The name of its user.
    var name: String?
    /// Whether the server has verified a credential with this name.
    var nameIsProven = false
    /// Why the server refuses a call; human-readable.
    var refusal: String?
}

extension Call.Peer {
    mutating func take(_ details: SignalDetails) {
        guard let device = details.device else { return }
        self.device = device
        name = details.name
        nameIsProven = details.nameIsProven && details.name != nil
    }
}
