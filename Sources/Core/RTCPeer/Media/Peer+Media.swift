public import RTCMedia
package import RTCTransport
public import RTCWire

// Audio and video: transceivers, sending, and events (W3C WebRTC, section 5).

extension Peer {
    // MARK: Transceivers

    /// Those that are not stopped, in the order in which they were added.
    package var transceivers: [Transceiver] { negotiator.transceivers }

    /// `nil` when it was stopped, or removed with the offer that had brought it.
    package func transceiver(_ id: TransceiverID) -> Transceiver? { negotiator.transceiver(id) }

    /// Adds a transceiver, whose section the next offer has (W3C `addTransceiver`).
    ///
    /// - Parameters:
    ///   - trackID: The track that is sent, if there is one already.
    ///   - streamIDs: The streams that the other side shall see the track in.
    ///   - codecs: The codecs to choose from, the preferred one first; empty for all of the configuration's.
    /// - Throws: ``NegotiationError`` `unsupportedCodec`, `invalidInput`, or `invalidState` when the peer is closed.
    package mutating func addTransceiver(
        _ kind: MediaKind, direction: SDPDirection = .sendrecv, trackID: String? = nil, streamIDs: [String] = [],
        codecs: [RTPCodec] = [], at now: Instant
    ) throws(NegotiationError) -> TransceiverID {
        try requireOpen()
        let sender = MediaSender(streamIDs: streamIDs, trackID: trackID)
        let id = try negotiator.addTransceiver(kind, direction: direction, sender: sender, codecs: codecs)
        try announceSource(of: id, kind)
        process(at: now)
        return id
    }

    /// Sends a track: on a transceiver that was never used to send, or else on a new one (W3C `addTrack`).
    ///
    /// - Throws: as ``addTransceiver(_:direction:trackID:streamIDs:codecs:at:)``.
    package mutating func addTrack(
        _ kind: MediaKind, trackID: String, streamIDs: [String] = [], at now: Instant
    ) throws(NegotiationError) -> TransceiverID {
        try requireOpen()
        let id = try negotiator.addTrack(kind, sender: MediaSender(streamIDs: streamIDs, trackID: trackID))
        try announceSource(of: id, kind)
        process(at: now)
        return id
    }

    /// Announces the SSRC of a transceiver in descriptions.
    private mutating func announceSource(of id: TransceiverID, _ kind: MediaKind) throws(NegotiationError) {
        guard var sender = negotiator.transceiver(id)?.sender, sender.ssrc == nil else { return }
        let source = media.addOutgoing(id, kind: kind)
        sender.ssrc = source.ssrc
        sender.retransmissionSSRC = source.retransmissionSSRC
        try negotiator.setSender(sender, of: id)
    }

    /// Stops sending the transceiver's track (W3C `removeTrack`).
    ///
    /// - Throws: ``NegotiationError`` `noSuchTransceiver`.
    package mutating func removeTrack(_ id: TransceiverID, at now: Instant) throws(NegotiationError) {
        try requireOpen()
        try negotiator.removeTrack(id)
        process(at: now)
    }

    /// Sets the direction that this side prefers from now on; takes effect with the next exchange.
    ///
    /// - Throws: ``NegotiationError`` `noSuchTransceiver`, or `invalidState` when it is stopped.
    package mutating func setDirection(
        _ direction: SDPDirection, of id: TransceiverID, at now: Instant
    ) throws(NegotiationError) {
        try requireOpen()
        try negotiator.setDirection(direction, of: id)
        if direction.sends, let kind = negotiator.transceiver(id)?.kind { try announceSource(of: id, kind) }
        process(at: now)
    }

    /// Names the track and the streams that are sent. Other streams need an offer, another track does not (W3C
    /// `replaceTrack`, `setStreams`).
    ///
    /// - Throws: ``NegotiationError`` `noSuchTransceiver` or `invalidInput`.
    package mutating func setTrack(
        _ trackID: String?, streamIDs: [String], of id: TransceiverID, at now: Instant
    ) throws(NegotiationError) {
        try requireOpen()
        var sender = negotiator.transceiver(id)?.sender ?? MediaSender()
        sender.trackID = trackID
        sender.streamIDs = streamIDs
        try negotiator.setSender(sender, of: id)
        if trackID != nil, let kind = negotiator.transceiver(id)?.kind { try announceSource(of: id, kind) }
        process(at: now)
    }

    /// The codecs that the next descriptions name, the preferred one first; empty for all.
    ///
    /// - Throws: ``NegotiationError`` `noSuchTransceiver` or `unsupportedCodec`.
    package mutating func setCodecPreferences(_ codecs: [RTPCodec], of id: TransceiverID) throws(NegotiationError) {
        try requireOpen()
        try negotiator.setCodecPreferences(codecs, of: id)
    }

    /// Stops a transceiver permanently (W3C `stop`).
    ///
    /// - Throws: ``NegotiationError`` `noSuchTransceiver`.
    package mutating func stopTransceiver(_ id: TransceiverID, at now: Instant) throws(NegotiationError) {
        try requireOpen()
        try negotiator.stop(id)
        media.remove(id, at: now)
        process(at: now)
    }

    private func requireOpen() throws(NegotiationError) {
        guard phase != .closed else {
            throw NegotiationError(.invalidState, "The connection is closed. Make a new one.")
        }
    }

    // MARK: Frames

    /// Whether frames of this transceiver leave: it was agreed that it sends, and DTLS has the keys.
    @usableFromInline package func isSending(_ id: TransceiverID) -> Bool { media.isSending(id) }

    /// Whether media was negotiated: audio or video may arrive.
    @usableFromInline package var hasMedia: Bool { !media.incoming.isEmpty }

    /// How long the waiting media takes to leave. Senders of video should drop frames while that is more than
    /// ``EncoderRateControl/longestQueue``.
    @usableFromInline package var mediaQueueTime: TimeDelta { media.congestion.queueTime }

    /// Sends a video frame. Dropped while ``isSending(_:)`` is `false`, or if its codec was not negotiated.
    ///
    /// - Parameter captureTime: When it was captured; relates its timestamp to the clock, for lip sync.
    @usableFromInline package mutating func send(
        _ frame: EncodedVideoFrame, captureTime: Instant, on id: TransceiverID, at now: Instant
    ) {
        media.send(frame, captureTime: captureTime, on: id, at: now)
    }

    /// Sends an audio packet, as ``send(_:captureTime:on:at:)-(EncodedVideoFrame,_,_,_)`` sends a video frame.
    @usableFromInline package mutating func send(
        _ frame: EncodedAudioFrame, captureTime: Instant, on id: TransceiverID, at now: Instant
    ) {
        media.send(frame, captureTime: captureTime, on: id, at: now)
    }

    /// Sets the receiver of a transceiver's audio; `nil` for none.
    @usableFromInline package mutating func setAudioSink(_ sink: (any AudioPacketSink)?, of id: TransceiverID) {
        media.setAudioSink(sink, of: id)
    }

    /// Requests a key frame from the other side, because the received frames cannot be decoded.
    @usableFromInline package mutating func requestKeyFrame(of id: TransceiverID, at now: Instant) {
        media.requestKeyFrame(of: id)
    }

    /// Records how long decoding a frame took, so that later frames are delivered that much before they are shown.
    @usableFromInline package mutating func didDecode(in duration: TimeDelta, of id: TransceiverID) {
        media.didDecode(in: duration, of: id)
    }

    // MARK: Statistics

    package func outgoingStatistics(_ id: TransceiverID) -> OutgoingMediaStatistics? {
        media.outgoingStatistics(id)
    }

    package func incomingStatistics(_ id: TransceiverID) -> IncomingMediaStatistics? {
        media.incomingStatistics(id)
    }

    /// The expected loss of audio packets that the codec's own redundancy should repair, 0 to 1.
    @usableFromInline package func expectedAudioLoss(_ id: TransceiverID) -> Double {
        media.outgoing(id)?.expectedAudioLoss ?? 0
    }

    /// The estimated capacity of the path to the other peer.
    @usableFromInline package var availableOutgoingBitrate: Bitrate { media.congestion.target }

    /// The state of the congestion control.
    package func congestion(at now: Instant) -> CongestionSnapshot { media.congestion.snapshot(at: now) }

    /// Media that was dropped, and why.
    @usableFromInline package var mediaCounters: MediaCounters { media.counters }

    /// The counters of SRTP; `nil` before there are keys.
    package var srtpCounters: SRTPCounters? { media.srtpCounters }
}

extension Peer {
    /// Applies the effects of descriptions and application requests on media.
    mutating func applyMediaChanges(at now: Instant) {
        for change in negotiator.takeMediaChanges() {
            switch change {
            case .transceiverAdded(let transceiver):
                events.append(.transceiverAdded(transceiver))
            case .transceiverRemoved(let id), .transceiverStopped(let id):
                media.remove(id, at: now)
                events.append(.transceiverEnded(id))
            case .parameters(let parameters):
                media.apply(parameters, at: now)
                events.append(.mediaParameters(parameters))
            case .remoteTrack(let track):
                events.append(.remoteTrack(track))
            case .remoteTrackRemoved(let id):
                events.append(.remoteTrackRemoved(id))
            }
        }
    }

    /// Passes the DTLS keys to SRTP.
    mutating func startMedia(at now: Instant) {
        guard let material = dtls.srtpKeyingMaterial else { return }
        do throws(CryptoError) {
            try media.start(material, crypto: crypto, at: now)
        } catch {
            // The provider offered the profile, so it must have the cipher.
            failInternally("the keys of audio and video cannot be set: \(error.message)", at: now)
        }
    }
}
