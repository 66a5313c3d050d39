/// What the adapters to the system need of a call kit. ``WebRTCController`` has it; tests have a stand-in.
public protocol CallControl: AnyObject, Sendable {
    /// Connects to the signalling server, where that has not been done.
    func setupConnection() async throws -> PeerID
    func sendCallRequest(to peerID: PeerID) async throws
    func answerCallRequest(accept: Bool) async throws
    func endCall() async throws
    /// Where the call stands.
    var state: CallManagerState { get async }
    /// Whether the machine's own microphone and loudspeaker may run, from now on: for whoever sees to the audio session.
    func setMayUseSound(_ mayUse: Bool)
}

extension CallControl {
    public func setMayUseSound(_ mayUse: Bool) {}
}

extension WebRTCController: CallControl {}
