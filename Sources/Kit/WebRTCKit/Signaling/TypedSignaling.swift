/// A signalling connection of the kit that accepts signals as values, without encoding them to JSON first.
protocol TypedSignalingConnection: SignalingServerConnection {
    func send(_ signal: CallSignal, to peer: PeerID) async throws
    func send(_ candidate: CallCandidate, to peer: PeerID) async throws
}

/// The delegate of a ``TypedSignalingConnection``, which receives signals as values, and the state of the server.
protocol TypedSignalingDelegate: SignalingServerDelegate {
    func didReceive(_ signal: CallSignal, from peer: PeerID, isPolite: Bool, _ details: SignalDetails) async
    func didReceive(_ candidate: CallCandidate, from peer: PeerID) async
    /// Called when a `verify` signal cannot be parsed.
    func didReceiveBadVerification(of call: CallIdentifier, from peer: PeerID) async
    /// Called when the peer's connection to the server changes.
    ///
    /// - Parameter hasNewSession: Whether messages to the peer's last session may be lost.
    func presenceDidChange(of call: CallIdentifier, to presence: Call.Presence, hasNewSession: Bool) async
    /// Called when the server has dropped a message to the peer, which is slow to read.
    func messageWasDropped(of call: CallIdentifier) async
    /// Called when the connection to the server changes, beside ``socketDidOpen()`` and ``socketDidClose()``.
    func serverDidChange(to server: SignalingServerState)
    /// Called when the connection to the server ended for good.
    ///
    /// - Parameter outcome: How a call ends that was not answered.
    func serverWasLost(reason: String, endingWith outcome: Call.Outcome)
}
