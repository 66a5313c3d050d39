internal import RTC
internal import RTCWire
internal import Synchronization

// The bitrate limits, by packet loss and the rules of BitrateConfig. Congestion control decides below them.
extension CallConnection {
    /// Updates the bitrate limits from the statistics, once a second.
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
            // Without a report of the peer, the loss is unknown.
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

    /// How lost packets of a sender are repaired.
    private static func repair(of sent: OutboundRTPStatistics, _ codec: CodecStatistics?) -> ResidualLoss.Repair {
        if sent.rtxSsrc != nil { return .retransmission }
        return codec?.sdpFmtpLine?.contains("useinbandfec=1") ?? false ? .nextPacket : .none
    }

    /// Sets the bitrate limit of a kind of media.
    ///
    /// - Parameter size: The size of the recorded video; `nil` if it is unknown, or has not changed.
    func applyBitrate(_ kind: MediaKind, size: (width: Int, height: Int)?) async {
        guard let state = sending.withLock({ $0[kind] }), let sender = state.transceiver?.sender else { return }
        var parameters = sender.parameters
        parameters.maxBitrate = Bitrate(bitsPerSecond: Int64(state.bitrate.bitrate))
        if kind == .audio { parameters.minBitrate = Bitrate(bitsPerSecond: Int64(max(1, state.bitrate.minimum))) }
        if kind == .video, let size, size.width > 0, size.height > 0 {
            // The engine reports sizes that are out of range.
            parameters.scaleResolutionDownBy = min(1_024, VideoScale.factor(width: size.width, height: size.height))
        }
        guard parameters != sender.parameters else { return }
        // Fails if the call has ended meanwhile.
        try? await sender.setParameters(parameters)
    }
}
