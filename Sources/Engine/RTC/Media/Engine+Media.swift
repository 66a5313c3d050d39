internal import RTCMedia
internal import RTCPeer
internal import RTCTransport
internal import RTCWire

extension Engine {
    // MARK: Requests of the application

    func addTrack(
        _ track: any MediaTrack, streams: [String], connection: PeerConnection
    ) throws(RTCError) -> RTPSender {
        try requireOpenForMedia()
        guard !pipelines.values.contains(where: { $0.track === track }) else {
            throw RTCError(
                code: .invalidArgument,
                message: "the track \(track.id) is sent already: remove it from its sender first")
        }
        let id = try performMedia { peer, now throws(NegotiationError) in
            try peer.addTrack(track.kind, trackID: track.id, streamIDs: streams, at: now)
        }
        let transceiver = try adopt(id, connection: connection)
        transceiver.setTrack(track)
        refreshTransceivers()
        return transceiver.handle.sender
    }

    func addTransceiver(
        _ kind: MediaKind, track: (any MediaTrack)?, options: RTPTransceiverOptions, connection: PeerConnection
    ) throws(RTCError) -> RTPTransceiver {
        try requireOpenForMedia()
        try options.sendParameters.validate()
        guard let direction = options.direction.described else {
            throw RTCError(code: .invalidArgument, message: "a transceiver cannot begin as stopped: leave it out")
        }
        let id = try performMedia { peer, now throws(NegotiationError) in
            try peer.addTransceiver(
                kind, direction: direction, trackID: track?.id, streamIDs: options.streams, codecs: options.codecs,
                at: now)
        }
        let transceiver = try adopt(id, connection: connection)
        transceiver.setSendParameters(options.sendParameters)
        transceiver.setTrack(track)
        return transceiver.handle
    }

    func removeTrack(_ sender: RTPSender) throws(RTCError) {
        try requireOpenForMedia()
        guard let transceiver = pipelines[sender.id], transceiver.handle.sender === sender,
            transceiver.track != nil
        else { return }
        _ = try performMedia { peer, now throws(NegotiationError) in try peer.removeTrack(sender.id, at: now) }
        transceiver.setTrack(nil)
        refreshTransceivers()
    }

    func replaceTrack(_ track: (any MediaTrack)?, of id: TransceiverID) throws(RTCError) {
        let transceiver = try transceiver(id)
        if let track, track.kind != transceiver.handle.kind {
            throw RTCError(
                code: .invalidArgument,
                message: "a sender of \(transceiver.handle.kind.rawValue) cannot send a track of \(track.kind.rawValue)"
            )
        }
        // Descriptions keep the name of the first track, so another track needs no negotiation.
        if let track, let sender = peer.transceiver(id)?.sender, sender.trackID == nil {
            _ = try performMedia { peer, now throws(NegotiationError) in
                try peer.setTrack(track.id, streamIDs: sender.streamIDs, of: id, at: now)
            }
        }
        transceiver.setTrack(track)
    }

    func setParameters(_ parameters: RTPSendParameters, of id: TransceiverID) throws(RTCError) {
        let transceiver = try transceiver(id)
        transceiver.setSendParameters(parameters)
        updateSending(of: transceiver)
    }

    func setDirection(_ direction: RTPTransceiver.Direction, of id: TransceiverID) throws(RTCError) {
        _ = try transceiver(id)
        guard let described = direction.described else {
            throw RTCError(code: .invalidArgument, message: "a direction cannot be set to stopped: call stop()")
        }
        _ = try performMedia { peer, now throws(NegotiationError) in
            try peer.setDirection(described, of: id, at: now)
        }
        refreshTransceivers()
    }

    func setCodecPreferences(_ codecs: [RTPCodec], of id: TransceiverID) throws(RTCError) {
        _ = try transceiver(id)
        _ = try performMedia { peer, _ throws(NegotiationError) in try peer.setCodecPreferences(codecs, of: id) }
    }

    func stopTransceiver(_ id: TransceiverID) {
        guard !isClosed, let transceiver = pipelines[id] else { return }
        _ = try? performMedia { peer, now throws(NegotiationError) in try peer.stopTransceiver(id, at: now) }
        pipelines[id] = nil
        transceiver.close()
    }

    /// In the order in which they came.
    var transceivers: [RTPTransceiver] {
        refreshTransceivers()
        return peer.transceivers.compactMap { pipelines[$0.id]?.handle }
    }

    private func requireOpenForMedia() throws(RTCError) {
        guard !isClosed else { throw .connectionClosed }
    }

    private func transceiver(_ id: TransceiverID) throws(RTCError) -> TransceiverPipelines {
        try requireOpenForMedia()
        guard let transceiver = pipelines[id] else {
            throw RTCError(code: .invalidState, message: "the transceiver is stopped: add another one")
        }
        return transceiver
    }

    private func performMedia<Result>(
        _ body: (inout Peer, Instant) throws(NegotiationError) -> Result
    ) throws(RTCError) -> Result {
        try perform { peer, now throws(RTCError) in
            do throws(NegotiationError) {
                return try body(&peer, now)
            } catch {
                // The error is in the application's request, not in a description.
                let code: RTCError.Code = error.code == .invalidState ? .invalidState : .invalidArgument
                throw RTCError(code: code, message: error.message)
            }
        }
    }

    // MARK: Transceivers

    /// Returns the pipelines of one of the peer's transceivers, created if necessary.
    @discardableResult
    private func adopt(_ id: TransceiverID, connection: PeerConnection) throws(RTCError) -> TransceiverPipelines {
        if let known = pipelines[id] { return known }
        guard let transceiver = peer.transceiver(id) else {
            throw RTCError(code: .invalidState, message: "the transceiver is stopped: add another one")
        }
        let new = TransceiverPipelines(transceiver, engine: self, connection: connection)
        pipelines[id] = new
        if case .audio(let pipeline) = new.receiving { peer.setAudioSink(pipeline, of: id) }
        return new
    }

    /// Updates the handles from the peer's transceivers.
    func refreshTransceivers() {
        for transceiver in peer.transceivers {
            pipelines[transceiver.id]?.handle.update { state in
                state.mid = transceiver.mid
                state.direction = transceiver.isStopping ? .stopped : .init(transceiver.direction)
                state.currentDirection = transceiver.currentDirection.map { .init($0) }
            }
        }
    }

    private func updateSending(of transceiver: TransceiverPipelines) {
        // An ICE restart or a short interruption does not stop sending.
        let isOver = peer.connectionState == .failed || peer.connectionState == .closed
        transceiver.updateSending(!isOver && peer.isSending(transceiver.handle.id))
    }

    // MARK: Events

    /// Starts or stops the encoders with the connection.
    func updateAllSending() {
        for transceiver in pipelines.values { updateSending(of: transceiver) }
    }

    func acceptTransceiver(_ transceiver: Transceiver) {
        guard let connection else { return }
        _ = try? adopt(transceiver.id, connection: connection)
    }

    func endTransceiver(_ id: TransceiverID) {
        pipelines.removeValue(forKey: id)?.close()
    }

    func apply(_ parameters: MediaSectionParameters) {
        guard let transceiver = pipelines[parameters.transceiver] else { return }
        transceiver.apply(parameters)
        updateSending(of: transceiver)
        refreshTransceivers()
    }

    func beginRemoteTrack(_ track: RemoteTrack) {
        guard let transceiver = pipelines[track.transceiver] else { return }
        refreshTransceivers()
        // An offer to the contrary may have been rolled back.
        transceiver.setReceiving(transceiver.parameters?.direction.receives ?? false)
        events.send(.track(transceiver.handle, streams: track.streamIDs))
    }

    func endRemoteTrack(_ id: TransceiverID) {
        guard let transceiver = pipelines[id] else { return }
        transceiver.setReceiving(false)
        refreshTransceivers()
        events.send(.trackRemoved(transceiver.handle))
    }

    func endRemoteSource(_ id: TransceiverID) {
        pipelines[id]?.mute()
    }

    func receive(_ picture: AssembledVideoFrame, of id: TransceiverID) {
        guard case .video(let pipeline) = pipelines[id]?.receiving else { return }
        pipeline.receive(picture)
    }

    func requestKeyFrame(of id: TransceiverID) {
        guard case .video(let pipeline) = pipelines[id]?.sending else { return }
        pipeline.requestKeyFrame(queue: peer.mediaQueueTime)
    }

    func setTarget(_ bitrate: Bitrate, of id: TransceiverID) {
        switch pipelines[id]?.sending {
        case .audio(let pipeline): pipeline.setTarget(bitrate)
        case .video(let pipeline): pipeline.setTarget(bitrate, queue: peer.mediaQueueTime)
        case nil: break
        }
    }

    // MARK: Frames

    func send(_ frame: EncodedVideoFrame, captureTime: Instant, on id: TransceiverID) {
        let queue = perform { peer, now in
            peer.send(frame, captureTime: captureTime, on: id, at: now)
            return peer.mediaQueueTime
        }
        if case .video(let pipeline) = pipelines[id]?.sending { pipeline.didProcess(queue: queue) }
    }

    func send(_ frame: EncodedAudioFrame, captureTime: Instant, on id: TransceiverID) {
        if let transceiver = pipelines[id], case .audio(let pipeline) = transceiver.sending {
            pipeline.didProcess()
            transceiver.packetsUntilReport -= 1
            if transceiver.packetsUntilReport <= 0 {
                // Five times a second: the in-band FEC of Opus depends on the loss.
                transceiver.packetsUntilReport = 10
                pipeline.setExpectedLoss(peer.expectedAudioLoss(id))
            }
        }
        perform { peer, now in peer.send(frame, captureTime: captureTime, on: id, at: now) }
    }

    // MARK: Closing

    func closeMedia() {
        for transceiver in pipelines.values { transceiver.close() }
        pipelines = [:]
    }
}
