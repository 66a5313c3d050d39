internal import RTC
internal import RTCWire
internal import Synchronization

// The outer limit of what is sent: by what gets lost, as BitrateConfig says. Congestion control works within it.
extension CallConnection {
    /// Looks at what was sent and lost, once a second.
    func adjustBitrates() async {
        let report = await connection.getStats()
        let now = Duration.nanoseconds(MediaClock.now.nanoseconds)
        let isOnline = isOnline.load(ordering: .relaxed)
        if let quality = quality.withLock({ $0.update(report, hasNetwork: isOnline, at: now) }) {
            await output(number, .quality(quality))
        }
        for kind in [MediaKind.audio, .video] {
            guard let transceiver = sending.withLock({ $0[kind]?.transceiver }), transceiver.sender.track != nil,
                let sent = report.outboundRTP.first(where: { $0.kind == kind && $0.mid == transceiver.mid })
            else { continue }
            // Before the other side has said anything nobody knows what got lost.
            if let received = report.remoteInboundRTP.first(where: { $0.localId == sent.id }) {
                let codec = report.codecs.first { $0.id == sent.codecId }
                sending.withLock {
                    $0[kind]?.take(
                        received, repairedBy: Self.repair(of: sent, codec), sentAgain: sent.retransmittedPacketsSent,
                        bytesSent: report.transport.bytesSent, path: report.transport.selectedCandidatePairId, at: now)
                }
            }
            let source = report.mediaSources.first { $0.id == sent.mediaSourceId }
            var size: (Int, Int)?
            if let width = source?.width, let height = source?.height { size = (width, height) }
            await applyBitrate(kind, size: size)
        }
    }

    /// What repairs the packets of a sender that get lost.
    private static func repair(of sent: OutboundRTPStatistics, _ codec: CodecStatistics?) -> ResidualLoss.Repair {
        if sent.rtxSsrc != nil { return .retransmission }
        return codec?.sdpFmtpLine?.contains("useinbandfec=1") ?? false ? .nextPacket : .none
    }

    /// Sets what a kind of media may take.
    ///
    /// - Parameter size: Of the pictures that are recorded; `nil` if it is not known, or has not changed.
    func applyBitrate(_ kind: MediaKind, size: (width: Int, height: Int)?) async {
        guard let state = sending.withLock({ $0[kind] }), let sender = state.transceiver?.sender else { return }
        var parameters = sender.parameters
        parameters.maxBitrate = Bitrate(bitsPerSecond: Int64(state.bitrate.bitrate))
        if kind == .audio { parameters.minBitrate = Bitrate(bitsPerSecond: Int64(max(1, state.bitrate.minimum))) }
        if kind == .video, let size, size.width > 0, size.height > 0 {
            // Where the size is absurd the engine says so.
            parameters.scaleResolutionDownBy = min(1_024, VideoScale.factor(width: size.width, height: size.height))
        }
        guard parameters != sender.parameters else { return }
        // It fails if the call has ended meanwhile.
        try? await sender.setParameters(parameters)
    }
}
