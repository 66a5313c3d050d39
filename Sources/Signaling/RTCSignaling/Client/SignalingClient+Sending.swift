internal import NIOCore
internal import NIOPosix
internal import Synchronization

// MARK: - Messages of the client

extension SignalingClient {
    /// Sends a message, or queues it until there is a connection.
    ///
    /// May be called on any thread. Messages are sent in the order of the calls.
    ///
    /// - Throws: An error if the client has ended, or too many messages are queued.
    package func send(_ message: ClientMessage) throws(SignalingClientError) {
        let result = state.withLock { state -> Result<Void, SignalingClientError> in
            guard state.lifecycle.isRunning else {
                return .failure(SignalingClientError(.notConnected, "the client is not connected"))
            }
            state.flushCandidates(at: Self.now)
            guard state.connection.send(message, at: Self.now) else {
                return .failure(SignalingClientError(.tooMuchWaiting, "too much is waiting for the server"))
            }
            return .success(())
        }
        try result.get()
    }

    /// Invites a user to a call.
    ///
    /// - Parameter lifetime: How long the call may ring, in seconds, 1 to 120.
    public func invite(
        _ address: SignalingAddress, call: CallID = .random(), lifetime: Double? = nil,
        media: [InvitedMedia]? = nil, description: CallDescription? = nil
    ) throws(SignalingClientError) -> CallID {
        let lifetime = min(
            max(lifetime ?? Invite.defaultLifetime, Invite.lifetimes.lowerBound), Invite.lifetimes.upperBound)
        try send(.invite(Invite(call: call, to: address, lifetime: lifetime, media: media, description: description)))
        return call
    }

    /// Tells the caller that this device rings. Do so within 4 s: a server with pushes wakes the device otherwise.
    public func ringing(_ call: CallID) throws(SignalingClientError) {
        try send(.ringing(CallReference(call: call)))
    }

    /// Accepts a call.
    ///
    /// - Parameter description: The answer to the invitation's offer; `nil` if the invitation had none.
    public func answer(_ call: CallID, description: CallDescription? = nil) throws(SignalingClientError) {
        try send(.answer(Answer(call: call, description: description)))
    }

    /// Declines a call. The caller learns the reason, and the user's other devices stop ringing.
    public func reject(_ call: CallID, reason: CallReason? = nil) throws(SignalingClientError) {
        try send(.reject(Reject(call: call, reason: reason)))
    }

    /// Says that this device is in another call. The caller learns it when all devices of the user are busy or gone.
    public func busy(_ call: CallID) throws(SignalingClientError) {
        try send(.busy(CallReference(call: call)))
    }

    /// Cancels a call of this device before it is answered.
    public func cancel(_ call: CallID) throws(SignalingClientError) {
        try send(.cancel(Cancel(call: call)))
    }

    /// Sends a later offer or answer of a call that was answered.
    public func negotiate(_ call: CallID, description: CallDescription) throws(SignalingClientError) {
        try send(.negotiate(Negotiate(call: call, description: description)))
    }

    /// Ends a call that was answered.
    public func hangUp(_ call: CallID, reason: CallReason = .normal) throws(SignalingClientError) {
        try send(.hangup(HangUp(call: call, reason: reason)))
    }

    /// Sends data to a device, or to all devices of a user, outside of any call.
    public func signal(
        _ data: [UInt8], to address: SignalingAddress, kind: CallReason? = nil
    ) throws(SignalingClientError) {
        try send(.signal(OutgoingSignal(target: .address(address), kind: kind, data: data)))
    }

    /// Sets the users whose presence to observe, in place of the previous ones. Applies after reconnecting too.
    public func watch(_ users: [UserID]) throws(SignalingClientError) {
        try send(.watch(Watch(users: users)))
    }

    /// Sets the token by which the server wakes this device when somebody calls and it has no connection; `nil` removes it.
    /// Applies after reconnecting too.
    ///
    /// A server without pushes ignores it. One that has not authenticated the user answers with `forbidden`. A device with a
    /// token needs a ``Configuration/device`` that stays the same.
    public func setPushToken(_ token: PushToken?) throws(SignalingClientError) {
        try send(.pushToken(PushRegistration(token: token)))
    }

    /// Requests the ICE servers, which are delivered as a message. The client does so itself before their credentials
    /// expire.
    package func requestICEServers() throws(SignalingClientError) {
        try send(.iceServers)
    }

    /// Sends a candidate, combined with those that follow within 20 ms.
    public func sendCandidate(_ candidate: CallCandidate, for call: CallID) throws(SignalingClientError) {
        let isFirst = state.withLock { state -> Bool? in
            guard state.lifecycle.isRunning else { return nil }
            return state.candidates.add(candidate, of: call)
        }
        guard let isFirst else { throw SignalingClientError(.notConnected, "the client is not connected") }
        guard isFirst else { return }
        MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: .milliseconds(20)) { [weak self] in
            self?.state.withLock { $0.flushCandidates(at: SignalingClient.now) }
        }
    }
}

extension SignalingClient.State {
    /// Sends batched candidates before any later message of the call.
    mutating func flushCandidates(at now: Duration) {
        // Also without a socket: the session keeps them.
        for message in candidates.take() { _ = connection.send(message, at: now) }
    }
}
