internal import Logging
internal import RTCMedia
internal import RTCPeer
internal import RTCWire
internal import Synchronization

/// One transceiver with its encoding and decoding pipelines. Used on the event loop only.
final class TransceiverPipelines {
    enum Sending {
        case audio(AudioSendPipeline)
        case video(VideoSendPipeline)
    }

    enum Receiving {
        case audio(AudioReceivePipeline)
        case video(VideoReceivePipeline)
    }

    let handle: RTPTransceiver
    let sending: Sending
    let receiving: Receiving
    /// The negotiated parameters.
    var parameters: MediaSectionParameters?
    /// The number of audio packets until the loss is updated.
    var packetsUntilReport = 10

    init(_ transceiver: Transceiver, engine: Engine, connection: PeerConnection) {
        let id = transceiver.id
        let link = EngineLink(engine)
        let log = engine.log
        switch transceiver.kind {
        case .audio:
            let track = AudioTrack(receivedAs: AudioTrack.randomID())
            handle = Self.makeHandle(transceiver, track: track, connection: connection)
            sending = .audio(
                AudioSendPipeline(log: log) { frame, captureTime in
                    link.perform { $0.send(frame, captureTime: captureTime, on: id) }
                })
            receiving = .audio(AudioReceivePipeline(track: track, log: log))
        case .video:
            let track = VideoTrack(receivedAs: VideoTrack.randomID())
            handle = Self.makeHandle(transceiver, track: track, connection: connection)
            sending = .video(
                VideoSendPipeline(startBitrate: engine.configuration.media.startBitrate, log: log) {
                    frame, captureTime in
                    link.perform { $0.send(frame, captureTime: captureTime, on: id) }
                })
            receiving = .video(
                VideoReceivePipeline(track: track, log: log) { duration in
                    link.perform { $0.peer.didDecode(in: duration, of: id) }
                } requestKeyFrame: {
                    link.perform { engine in engine.perform { peer, now in peer.requestKeyFrame(of: id, at: now) } }
                })
        }
    }

    private static func makeHandle(
        _ transceiver: Transceiver, track: any MediaTrack, connection: PeerConnection
    ) -> RTPTransceiver {
        RTPTransceiver(
            id: transceiver.id, kind: transceiver.kind, direction: .init(transceiver.direction),
            receiver: RTPReceiver(track: track), connection: WeakReference(connection))
    }

    var track: (any MediaTrack)? { handle.sender.track }

    // MARK: Sending

    /// Sets the track to send; `nil` for none.
    func setTrack(_ track: (any MediaTrack)?) {
        let old = handle.sender.track
        guard old !== track else { return }
        handle.sender.state.withLock { $0.track = track }
        if let old { detach(old) }
        switch (sending, track) {
        case (.video(let pipeline), let track as VideoTrack):
            track.core.add(
                .init(id: ObjectIdentifier(pipeline), isSender: true) { [hint = track.hint] frame in
                    pipeline.deliver(frame, contentHint: hint.value)
                })
        case (.audio(let pipeline), let track as AudioTrack):
            track.core.add(.init(id: ObjectIdentifier(pipeline), isSender: true) { pipeline.deliver($0) })
        default: break
        }
    }

    private func detach(_ track: any MediaTrack) {
        switch (sending, track) {
        case (.video(let pipeline), let track as VideoTrack):
            track.core.remove(ObjectIdentifier(pipeline))
            pipeline.forgetLast()
        case (.audio(let pipeline), let track as AudioTrack):
            track.core.remove(ObjectIdentifier(pipeline))
            pipeline.forgetWaiting()
        default: break
        }
    }

    func setSendParameters(_ parameters: RTPSendParameters) {
        handle.sender.state.withLock { $0.parameters = parameters }
        switch sending {
        case .audio(let pipeline): pipeline.setParameters(parameters)
        case .video(let pipeline): pipeline.setParameters(parameters)
        }
    }

    /// Sets the codec to encode with, if sending.
    func updateSending(_ isSending: Bool) {
        let codecs = parameters?.sendCodecs.map(\.codec) ?? []
        let codec = isSending ? handle.sender.parameters.choose(from: codecs) : nil
        switch sending {
        case .audio(let pipeline): pipeline.setCodec(codec)
        case .video(let pipeline): pipeline.setCodec(codec)
        }
    }

    // MARK: Receiving

    /// Adopts the negotiated parameters.
    func apply(_ parameters: MediaSectionParameters) {
        self.parameters = parameters
        switch receiving {
        case .audio(let pipeline): pipeline.setCodecs(parameters.receiveCodecs)
        case .video(let pipeline): pipeline.setCodecs(parameters.receiveCodecs.map(\.codec))
        }
        setReceiving(parameters.direction.receives)
    }

    /// Sets whether the remote description says that the peer sends.
    func setReceiving(_ isReceiving: Bool) {
        switch receiving {
        case .audio(let pipeline): pipeline.setReceiving(isReceiving)
        case .video(let pipeline): pipeline.setReceiving(isReceiving)
        }
    }

    /// Mutes the remote track, because its source has ended. The next packet unmutes it.
    func mute() {
        switch receiving {
        case .audio(let pipeline): pipeline.mute()
        case .video(let pipeline): pipeline.mute()
        }
    }

    // MARK: Closing

    /// Frees the encoders, decoders and threads, and releases the track.
    func close() {
        // The handle keeps its reference to the track.
        if let track { detach(track) }
        switch sending {
        case .audio(let pipeline): pipeline.close()
        case .video(let pipeline): pipeline.close()
        }
        switch receiving {
        case .audio(let pipeline): pipeline.close()
        case .video(let pipeline): pipeline.close()
        }
        (handle.receiver.track as? AudioTrack)?.core.end(sendsEvent: true)
        (handle.receiver.track as? VideoTrack)?.core.end(sendsEvent: true)
        handle.update { state in
            state.direction = .stopped
            state.currentDirection = nil
        }
    }
}
