/// What the adapters to the system need of a call kit. ``WebRTCController`` has it; tests have a stand-in.
public protocol CallControl: AnyObject, Sendable {
    /// Connects to the signalling server, where that has not been done.
    func setupConnection() async throws -> PeerID
    func sendCallRequest(to peerID: PeerID) async throws
    func answerCallRequest(accept: Bool) async throws
    func endCall() async throws
    /// Where the call stands.
    var state: CallManagerState { get async }
}

extension WebRTCController: CallControl {}
