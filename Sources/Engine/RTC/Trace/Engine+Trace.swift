internal import NIOCore
internal import RTCCrypto
internal import RTCMedia
internal import RTCPeer
internal import RTCWire

/// The trace of a connection: samples it ten times a second, on its loop.
final class EngineTrace {
    private let file: TraceFile
    private var text: TraceText
    private var timer: Scheduled<Void>?
    private var looks = 0
    private var leftOut = 0

    private static let interval = TimeAmount.milliseconds(100)

    init(_ path: String, at now: Instant) throws(RTCError) {
        file = try TraceFile.open(path)
        text = TraceText(
            at: now, timeOfDay: Int(SystemTime.nanoseconds / 1_000_000),
            chapter: .random(in: 0..<1_000_000))
    }

    /// Starts sampling, as long as both objects exist.
    func start(of engine: Engine) {
        timer = engine.loop.assumeIsolated().scheduleTask(in: Self.interval) { [weak self, weak engine] in
            guard let self, let engine, !engine.isClosed else { return }
            look(at: engine)
            start(of: engine)
        }
    }

    private func look(at engine: Engine) {
        let now = engine.now
        text.sample(engine.peer.congestion(at: now), at: now)
        looks += 1
        // Frame rates and the like: once a second is enough, and more would cost too much.
        guard looks % 10 == 0 else { return }
        let streams = engine.traceStreams()
        for (number, stream) in streams { text.stream(stream, number: number, at: now) }
        text.keepStreams(streams.map { $0.0 })
        write(at: now)
    }

    func pathChanged(at now: Instant) { text.pathChanged(at: now) }

    private func write(at now: Instant) {
        if leftOut > 0 { text.leftOut(leftOut, at: now) }
        let lines = text.take()
        if file.append(lines) {
            leftOut = 0
        } else {
            leftOut += lines.count
        }
    }

    func close(at now: Instant) {
        timer?.cancel()
        timer = nil
        write(at: now)
    }
}

extension Engine {
    /// The state of the senders and receivers: docs/trace.md lists the columns.
    fileprivate func traceStreams() -> [(Int, TraceText.Stream)] {
        var streams: [(Int, TraceText.Stream)] = []
        for transceiver in peer.transceivers {
            guard let pipelines = pipelines[transceiver.id] else { continue }
            let number = Int(truncatingIfNeeded: transceiver.id.rawValue)
            if let sent = peer.outgoingStatistics(transceiver.id), sent.stream.packetsSent > 0 {
                streams.append((2 * number, Self.sent(sent, pipelines)))
            }
            if let received = peer.incomingStatistics(transceiver.id) {
                streams.append((2 * number + 1, Self.received(received, pipelines)))
            }
        }
        return streams
    }

    private static func sent(_ counts: OutgoingMediaStatistics, _ pipelines: TransceiverPipelines) -> TraceText.Stream {
        var stream = TraceText.Stream(isVideo: counts.kind == .video, isSent: true)
        stream.counts = [
            Int(clamping: counts.stream.packetsSent), Int(clamping: counts.stream.bytesSent),
            Int(clamping: counts.stream.retransmittedPacketsSent),
        ]
        switch pipelines.sending {
        case .audio(let pipeline): stream.values = [Int(pipeline.statistics.target?.bitsPerSecond ?? 0)]
        case .video(let pipeline):
            let made = pipeline.statistics
            stream.counts += [
                made.framesEncoded, made.keyFramesEncoded, made.totalEncodedBytes, made.framesDroppedBusy,
                made.framesDroppedQueue,
            ]
            stream.values = [
                Int(made.target?.bitsPerSecond ?? 0), made.frameWidth, made.frameHeight,
                made.limitation == .cpu ? 2 : made.limitation == .bandwidth ? 1 : 0,
            ]
        }
        return stream
    }

    private static func received(
        _ counts: IncomingMediaStatistics, _ pipelines: TransceiverPipelines
    ) -> TraceText.Stream {
        var stream = TraceText.Stream(isVideo: counts.kind == .video, isSent: false)
        stream.counts = [
            Int(clamping: counts.packetsReceived), Int(clamping: counts.bytesReceived), Int(counts.packetsLost),
        ]
        switch pipelines.receiving {
        case .audio(let pipeline):
            let buffer = pipeline.statistics.buffer
            stream.counts += [buffer.totalSamplesReceived, buffer.concealedSamples]
        case .video(let pipeline):
            let shown = pipeline.statistics
            stream.counts += [
                shown.framesDecoded, Int(counts.video?.totalFreezesDuration.milliseconds ?? 0),
            ]
            stream.values = [shown.frameWidth, shown.frameHeight]
        }
        return stream
    }
}
