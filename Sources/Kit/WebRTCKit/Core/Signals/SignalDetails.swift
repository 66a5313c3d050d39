/// What a signalling server adds to a signal, where it does.
struct SignalDetails: Sendable, Hashable {
    /// The ID of the very device that it comes from.
    var device: PeerID?
    var name: String?
    /// Whether the server has verified a credential with this name.
    var nameIsProven = false
    /// Why the server refuses a call, for a person.
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
