internal import RTC
internal import RTCCredentials

// The requests of the app.
extension CallManager {
    // MARK: The signalling server

    func connect() async throws -> PeerID {
        try config.validate()
        if let localPeerID, signaling.isOpen, !disconnecting.isHeld { return localPeerID }
        let before = disconnections
        let id = try await connecting.run { [weak self] in
            guard let self else { throw CancellationError() }
            return try await attempt()
        }
        // A request to disconnect may have come while the result was on its way here.
        guard disconnections == before else { throw CancellationError() }
        return id
    }

    /// Connects, in a task that is cancelled by a request to disconnect, and when nobody waits for it any more.
    private func attempt() async throws -> PeerID {
        // A request to disconnect that is under way would close the new connection.
        await disconnecting.wait()
        try Task.checkCancellation()
        watchNetwork()
        let id = try await signaling.connect()
        guard !Task.isCancelled else {
            // Not every connection ends its attempt then.
            if localPeerID == nil, !connecting.isRunning { signaling.disconnect() }
            throw CancellationError()
        }
        localPeerID = id
        core.takesCalls = true
        // Some connections do not report the first time. One that is interrupted, and being restored, reports it later.
        guard signaling.isOpen else { return id }
        setServer(.connected)
        drive { core, now in core.receive(.opened, at: now) }
        return id
    }

    func connect(calling peer: PeerID) async throws -> PeerID {
        let hold = receiver.hold.begin()
        do {
            let id = try await connect()
            receiver.hold.endAfterInvitation(hold)
            try call(peer)
            return id
        } catch {
            receiver.hold.end(hold)
            throw error
        }
    }

    func disconnect() async {
        disconnections += 1
        let hold = disconnecting.begin()
        await stopAll()
        signaling.disconnect()
        localPeerID = nil
        setServer(.disconnected(reason: nil))
        disconnecting.end(hold)
    }

    /// Ends the call, if there is one, and everything that runs without a call.
    private func stopAll() async {
        connecting.cancel()
        receiver.hold.endAll()
        // No call may ring while the connection is being closed: nobody would answer or reject it.
        core.takesCalls = false
        await end()
        watchingNetwork?.cancel()
        watchingNetwork = nil
        try? await stopVideo()
        try? await stopAudio()
        // The last signal has to be sent before the connection closes, if it still can be.
        await sender.drain(within: .seconds(1))
    }

    // MARK: Calls

    /// The media that an outgoing call announces.
    var media: [CallMedia] { (localAudio == nil ? [] : [.audio]) + (localVideo == nil ? [] : [.video]) }

    var state: CallManagerState { core.state }

    var remotePeerID: PeerID? { core.remotePeer }

    var verificationStatus: VerificationStatus { core.call?.call.verification ?? .waiting }

    var callQuality: CallQuality? { core.call?.call.quality }

    func call(_ peer: PeerID, as id: CallIdentifier? = nil) throws(CallManagerError) {
        try perform(.call(peer, media: media), on: id)
    }

    func answer(_ accept: Bool, _ id: CallIdentifier? = nil) async throws(CallManagerError) {
        try perform(.answer(accept: accept), on: id)
        if !accept { await closing?.value }
    }

    /// Ends the call, and returns when everything is closed.
    func endCall(_ id: CallIdentifier? = nil) async throws(CallManagerError) {
        try perform(.end, on: id)
        await closing?.value
    }

    private func perform(_ action: CallCore.Action, on id: CallIdentifier?) throws(CallManagerError) {
        try drive { core, now throws(CallManagerError) in try core.perform(action, on: id, at: now) }
    }

    /// Ends the call if there is one.
    private func end() async {
        do throws(CallManagerError) { try await endCall() } catch {}
    }

    func setAutoAccept(_ acceptsAutomatically: Bool) {
        core.settings.acceptsAutomatically = acceptsAutomatically
    }

    /// Ends everything that runs, because the controller was released.
    nonisolated func shutDown() {
        Task { await stopAll() }
    }

    // MARK: Changes while a call runs

    func startConfiguration() async throws(CallManagerError) {
        try await perform("startConfiguration") { call throws(RTCError) in await call.connection.suspendNegotiation() }
    }

    func commitConfiguration() async throws(CallManagerError) {
        try await perform("commitConfiguration") { call throws(RTCError) in await call.connection.resumeNegotiation() }
    }

    func createDataChannel(
        label: String, config: RTCDataChannelConfiguration?
    ) async throws(CallManagerError) -> WRKDataChannel {
        guard connection == nil || core.call?.hasRun == true else {
            throw .needsCall("a data channel needs a call that runs: wait for callDidStart, then open it")
        }
        let channel = try await perform("createDataChannel") { call throws(RTCError) in
            try await call.connection.createDataChannel(label, options: try config?.options() ?? DataChannelOptions())
        }
        return WRKDataChannel(RTCDataChannel(channel, isOurs: true))
    }

    func restartICE() async throws(CallManagerError) {
        let servers = iceServers
        try await perform("restartICE") { call throws(RTCError) in await call.restart(servers) }
    }

    func statistics() async throws(CallManagerError) -> StatisticsReport {
        try await perform("statistics") { call throws(RTCError) in await call.connection.getStats() }
    }

    /// Performs an operation on the connection of the call.
    ///
    /// - Parameter what: The name of the method that the app called.
    private func perform<Result: Sendable>(
        _ what: String, _ body: @escaping @Sendable (CallConnection) async throws(RTCError) -> Result
    ) async throws(CallManagerError) -> Result {
        guard let connection else {
            throw .needsCall("\(what) needs a call: begin one, or take one")
        }
        do throws(RTCError) {
            return try await connection.perform(body)
        } catch {
            throw .webRTCFailed("\(what): \(error.message)")
        }
    }
}
