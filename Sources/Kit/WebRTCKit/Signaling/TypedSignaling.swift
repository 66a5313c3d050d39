/// A signalling connection of the kit that accepts signals as values, without encoding them to JSON first.
protocol TypedSignalingConnection: SignalingServerConnection {
    func send(_ signal: CallSignal, to peer: PeerID) async throws
    func send(_ candidate: CallCandidate, to peer: PeerID) async throws
}

/// The delegate of a ``TypedSignalingConnection``, which receives signals as values.
protocol TypedSignalingDelegate: SignalingServerDetailsDelegate {
    func didReceive(_ signal: CallSignal, from peer: PeerID, isPolite: Bool, _ details: SignalDetails) async
    func didReceive(_ candidate: CallCandidate, from peer: PeerID) async
    /// Called when a `verify` signal cannot be parsed.
    func didReceiveBadVerification(of call: CallIdentifier, from peer: PeerID) async
}
