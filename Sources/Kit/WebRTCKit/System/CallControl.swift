/// The call operations that the system adapters need. ``WebRTCController`` conforms; tests use a mock.
package protocol CallControl: AnyObject, Sendable {
    /// The calls and tracks at present, and the events after them: see ``WebRTCController/events``.
    var events: AsyncStream<WebRTCController.Event> { get }
    /// Connects to the signalling server, unless the connection is open already.
    func setupConnection() async throws -> PeerID
    func sendCallRequest(to peerID: PeerID, as call: CallIdentifier) async throws
    func answerCallRequest(_ call: CallIdentifier, accept: Bool) async throws
    func endCall(_ call: CallIdentifier) async throws
    /// Ends the current call, which the system does not know.
    func endCall() async throws
    /// Allows or forbids the machine's own microphone and loudspeaker to run. Called by the owner of the audio session.
    func setMayUseAudio(_ mayUse: Bool)
}

extension CallControl {
    package func setMayUseAudio(_ mayUse: Bool) {}
}

extension WebRTCController: CallControl {
    /// Calls a peer with an identifier that the app has chosen: see ``sendCallRequest(to:)``. The app can end the call by it before
    /// this method has returned.
    ///
    /// - Parameters:
    ///   - peerID: The ID of the peer to call.
    ///   - call: An unpredictable identifier that no other call has had, such as that of a new `UUID`.
    public func sendCallRequest(to peerID: PeerID, as call: CallIdentifier) async throws {
        try await manager.call(peerID, as: call)
        await manager.dispatcher.delivered()
    }

    /// Accepts or rejects one call, and no other that may ring by now. Accepting a call that was answered already has no effect.
    ///
    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)`` if that call does not ring.
    public func answerCallRequest(_ call: CallIdentifier, accept: Bool) async throws {
        try await manager.answer(accept, call)
        await manager.dispatcher.delivered()
    }

    /// Ends one call, and no other that may have begun by now. After ``Call/Change/glare``, either identifier names the call.
    ///
    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)`` if that call has ended, or has not begun.
    public func endCall(_ call: CallIdentifier) async throws {
        try await manager.endCall(call)
        await manager.dispatcher.delivered()
    }
}
