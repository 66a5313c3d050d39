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
            guard case .running = state.phase else {
                return .failure(SignalingClientError(.notConnected, "the client is not connected"))
            }
            flushCandidates(&state)
            guard let output = state.session.send(message, at: Self.now) else {
                return .failure(SignalingClientError(.tooMuchWaiting, "too much is waiting for the server"))
            }
            state.socket?.send(output)
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
    public func requestICEServers() throws(SignalingClientError) {
        try send(.iceServers)
    }

    /// Sends a candidate, combined with those that follow within 20 ms.
    public func sendCandidate(_ candidate: CallCandidate, for call: CallID) throws(SignalingClientError) {
        let isFirst = state.withLock { state -> Bool? in
            guard case .running = state.phase else { return nil }
            let isFirst = state.batches.isEmpty
            state.batches[call, default: []].append(candidate)
            return isFirst
        }
        guard let isFirst else { throw SignalingClientError(.notConnected, "the client is not connected") }
        guard isFirst else { return }
        MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: .milliseconds(20)) { [weak self] in
            self?.state.withLock { self?.flushCandidates(&$0) }
        }
    }

    /// Sends batched candidates before any later message of the call.
    func flushCandidates(_ state: inout State) {
        let batches = state.batches
        state.batches = [:]
        for (call, candidates) in batches {
            for start in stride(from: 0, to: candidates.count, by: Candidates.maximumCount) {
                let part = Array(candidates[start..<min(start + Candidates.maximumCount, candidates.count)])
                let message = ClientMessage.candidates(Candidates(call: call, candidates: part))
                // Also without a socket: the session keeps it.
                let output = state.session.send(message, at: Self.now) ?? []
                state.socket?.send(output)
            }
        }
    }
}
