package import RTCMedia
internal import RTCTransport
package import RTCWire

/// What one transceiver has sent (W3C `RTCOutboundRtpStreamStats` and `RTCRemoteInboundRtpStreamStats`).
package struct OutgoingMediaStatistics: Sendable {
    package var kind: MediaKind
    package var mid: String?
    package var ssrc: SynchronizationSource
    package var retransmissionSSRC: SynchronizationSource?
    /// The codec that is sent by preference.
    package var codec: MediaSectionParameters.Codec?
    package var stream: RTPOutgoingStream.Statistics
    /// The reception that the other side reports; `nil` before its first report.
    package var remote: RemoteReception?
    package var roundTripTime: TimeDelta?
    /// The frames whose last packet was sent.
    package var framesSent: Int
    package var keyFramesSent: Int
    /// Copies of earlier audio packets in later ones (RFC 2198).
    package var copiesSent: Int
}

/// What one transceiver has received (W3C `RTCInboundRtpStreamStats`).
package struct IncomingMediaStatistics: Sendable {
    package var kind: MediaKind
    package var mid: String?
    package var ssrc: SynchronizationSource
    /// The codec of the last received packet.
    package var codec: MediaSectionParameters.Codec?
    package var packetsReceived: UInt64
    package var bytesReceived: UInt64
    package var packetsLost: Int64
    package var jitter: TimeDelta
    package var lastPacketReceived: Instant?
    /// When the last sender report arrived, on which lip sync is based.
    package var lastSenderReport: Instant?
    package var stream: RTPIncomingStream.Statistics
    /// Of video.
    package var video: VideoJitterBufferStatistics?
    /// The audio level in the last audio packet.
    package var audioLevel: PacketAudioLevel?
    /// Of video: how much later it is shown than its audio is heard; `nil` while that is unknown.
    package var audioVideoSkew: TimeDelta?
}

extension MediaTransport {
    func outgoingStatistics(_ id: TransceiverID) -> OutgoingMediaStatistics? {
        guard let each = outgoing(id), let stream = each.stream else { return nil }
        return OutgoingMediaStatistics(
            kind: each.kind, mid: each.parameters?.mid, ssrc: each.ssrc,
            retransmissionSSRC: stream.configuration.rtxSSRC, codec: each.parameters?.sendCodecs.first,
            stream: stream.statistics, remote: stream.remote, roundTripTime: stream.roundTripTime,
            framesSent: each.kind == .video ? Int(clamping: stream.statistics.framesSent) : 0,
            keyFramesSent: Int(clamping: stream.statistics.keyFramesSent), copiesSent: each.copiesSent)
    }

    func incomingStatistics(_ id: TransceiverID) -> IncomingMediaStatistics? {
        guard let each = incoming(id), let stream = each.stream else { return nil }
        let isSynchronized = each.kind == .video && synchronizedPair?.picture === each
        return IncomingMediaStatistics(
            kind: each.kind, mid: each.parameters.mid, ssrc: stream.configuration.ssrc, codec: each.codec,
            packetsReceived: stream.reception.packetsReceived, bytesReceived: stream.reception.bytesReceived,
            packetsLost: stream.reception.packetsLost, jitter: stream.reception.jitter,
            lastPacketReceived: stream.reception.lastArrival, lastSenderReport: stream.senderReport?.arrival,
            stream: stream.statistics, video: each.video?.statistics, audioLevel: each.lastAudioLevel,
            audioVideoSkew: isSynchronized ? lipSync.skew : nil)
    }

    var srtpCounters: SRTPCounters? {
        switch srtp {
        case .some(let session): session.counters
        case .none: nil
        }
    }

    // MARK: Receiver statistics from the owner

    func setAudioSink(_ sink: (any AudioPacketSink)?, of id: TransceiverID) {
        audioSinks[id] = sink
        incoming(id)?.audio = sink
    }

    func requestKeyFrame(of id: TransceiverID) {
        incoming(id)?.stream?.requestKeyFrame()
    }

    func didDecode(in duration: TimeDelta, of id: TransceiverID) {
        incoming(id)?.video?.didDecode(in: duration)
    }
}
