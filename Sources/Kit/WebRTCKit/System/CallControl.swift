/// The call operations that the system adapters need. ``WebRTCController`` conforms; tests use a mock.
public protocol CallControl: AnyObject, Sendable {
    /// Connects to the signalling server, unless the connection is open already.
    func setupConnection() async throws -> PeerID
    func sendCallRequest(to peerID: PeerID) async throws
    func answerCallRequest(accept: Bool) async throws
    func endCall() async throws
    /// The state of the call.
    var state: CallManagerState { get async }
    /// Allows or forbids the machine's own microphone and loudspeaker to run. Called by the owner of the audio session.
    func setMayUseSound(_ mayUse: Bool)
}

extension CallControl {
    public func setMayUseSound(_ mayUse: Bool) {}
}

extension WebRTCController: CallControl {}
