/// A signalling connection of the kit's own, which takes what is to be sent without it being encoded first.
protocol TypedSignalingConnection: SignalingServerConnection {
    func send(_ signal: CallSignal, to peer: PeerID) async throws
    func send(_ candidate: CallCandidate, to peer: PeerID) async throws
}

/// A delegate that a ``TypedSignalingConnection`` tells more than others, and without encoding it: the controller.
protocol TypedSignalingDelegate: SignalingServerDelegate {
    func didReceive(_ signal: CallSignal, from peer: PeerID, isPolite: Bool, _ details: SignalDetails) async
    func didReceive(_ candidate: CallCandidate, from peer: PeerID) async
    /// A `verify` came that is none.
    func didReceiveBadVerification(of call: CallIdentifier, from peer: PeerID) async
    /// The other side's connection to the server is in another state.
    func presenceDidChange(of call: CallIdentifier, to presence: Call.Presence) async
    /// Our connection to the server is in another state. ``socketDidOpen()`` and ``socketDidClose()`` are called besides.
    func serverDidChange(to server: ServerState)
}
