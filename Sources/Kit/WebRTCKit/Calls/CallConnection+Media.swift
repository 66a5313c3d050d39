internal import RTC
internal import RTCWire
internal import Synchronization

/// What is sent of one kind of media.
struct SendingState: Sendable {
    var bitrate: BitrateAdjustment
    private var loss = ResidualLoss()
    /// When what the other side reported last had come, and what the connection had sent by then.
    private var lastReport: Double?
    private var lastBytes: Int?
    private var path: String?
    /// What sends it, once something was sent. It is used again when sending begins again.
    var transceiver: RTPTransceiver?
    /// Waits for the size of the pictures.
    var probe: SizeProbe?

    init(_ config: BitrateConfig) { bitrate = BitrateAdjustment(config) }

    /// Takes what the other side reports. It does so when it likes, seldom once a second: what was sent since its report
    /// is not counted before the next one, which says what was lost of it.
    ///
    /// - Parameters:
    ///   - repair: What repairs lost packets.
    ///   - sentAgain: How many were sent once more so far.
    ///   - bytesSent: What the connection as a whole has sent; `nil` if that is not known.
    ///   - path: Names the path that it sends on.
    mutating func take(
        _ report: RemoteInboundRTPStatistics, repairedBy repair: ResidualLoss.Repair = .none, sentAgain: Int = 0,
        bytesSent: Int? = nil, path newPath: String? = nil, at now: Duration
    ) {
        guard report.timestamp != lastReport else { return }
        if path != nil, path != newPath { loss.pathChanged() }
        path = newPath
        var counters = ResidualLoss.Counters(
            sent: report.packetsReceived + report.packetsLost, lost: report.packetsLost, sentAgain: sentAgain)
        if let lastReport, let lastBytes, let bytesSent, report.timestamp > lastReport {
            counters.rate = Double(bytesSent - lastBytes) * 8 / (report.timestamp - lastReport)
        }
        (lastReport, lastBytes) = (report.timestamp, bytesSent)
        let (sent, lost) = loss.record(counters, repairedBy: repair)
        _ = bitrate.record(packetsSent: sent, packetsLost: lost, at: now)
    }
}

extension CallConnection {
    /// What the other peer sees our tracks in, by which it keeps them in time with each other.
    private static let streamName = "call"

    /// Sends what is recorded. A caller also offers to receive what it does not send, so that the answer can bring it.
    func open(_ tracks: [any MediaTrack], isCaller: Bool) {
        enqueue { call in
            do throws(RTCError) {
                let transceivers = try await call.connection.add(tracks, offersBoth: isCaller, stream: Self.streamName)
                for transceiver in transceivers { await call.adopt(transceiver) }
            } catch {
                await call.fail(error.message)
            }
        }
    }

    /// Sends another track in place of the one that is sent; `nil` for none. Where something was sent before, or still is,
    /// this needs no section of its own in descriptions; where sending begins or ends, it needs an offer.
    ///
    /// - Throws: ``RTCError``
    nonisolated(nonsending) func send(_ track: (any MediaTrack)?, _ kind: MediaKind) async throws(RTCError) {
        try await perform { call throws(RTCError) in
            let known = call.sending.withLock { $0[kind]?.transceiver }.flatMap { $0.isStopped ? nil : $0 }
            switch (known, track) {
            case (nil, nil): break
            case (let known?, nil):
                call.setProbe(nil, kind)
                try await call.connection.removeTrack(known.sender)
            case (let known?, let track?):
                try await known.sender.replaceTrack(track)
                if !known.direction.sends { try await known.setDirection(.sendrecv) }
                await call.adopt(known)
            case (nil, let track?):
                for transceiver in try await call.connection.add([track], offersBoth: false, stream: Self.streamName) {
                    await call.adopt(transceiver)
                }
            }
        }
    }

    /// Takes note of what sends a kind of media, and of how much it may send.
    private func adopt(_ transceiver: RTPTransceiver) async {
        sending.withLock { $0[transceiver.kind]?.transceiver = transceiver }
        await applyBitrate(transceiver.kind, size: nil)
        // The picture's size is known with the first one, and that may come any time.
        setProbe(
            (transceiver.sender.track as? VideoTrack).map { track in
                SizeProbe(track) { [weak self] width, height in
                    Task { [weak self] in await self?.applyBitrate(.video, size: (width, height)) }
                }
            }, transceiver.kind)
    }

    private func setProbe(_ probe: SizeProbe?, _ kind: MediaKind) {
        let old = sending.withLock { sending in
            defer { sending[kind]?.probe = probe }
            return sending[kind]?.probe
        }
        old?.stop()
        probe?.start()
        // It may have been closed meanwhile.
        if isClosed.load(ordering: .sequentiallyConsistent) { probe?.stop() }
    }

    /// Lets go of the tracks, whose sources would go on otherwise.
    func stopProbes() {
        for kind in [MediaKind.audio, .video] { setProbe(nil, kind) }
    }
}

extension PeerConnection {
    /// Adds tracks in one turn, so that one offer speaks of all.
    ///
    /// - Parameter offersBoth: Whether to add what receives the kinds of which there is no track.
    /// - Returns: What sends them.
    fileprivate func add(
        _ tracks: [any MediaTrack], offersBoth: Bool, stream: String
    ) throws(RTCError) -> [RTPTransceiver] {
        var senders: [RTPSender] = []
        for kind in [MediaKind.audio, .video] {
            if let track = tracks.first(where: { $0.kind == kind }) {
                senders.append(try addTrack(track, streams: [stream]))
            } else if offersBoth {
                var options = RTPTransceiverOptions()
                options.direction = .recvonly
                options.streams = [stream]
                try addTransceiver(kind, options: options)
            }
        }
        return transceivers.filter { transceiver in senders.contains { $0 === transceiver.sender } }
    }
}

/// Tells the size of a track's next picture, once.
final class SizeProbe: VideoSink {
    private struct Reference {
        weak var track: VideoTrack?
    }

    // A track keeps its sinks.
    private let reference: Mutex<Reference>
    private let tell: @Sendable (_ width: Int, _ height: Int) -> Void
    private let isDone = Atomic(false)

    init(_ track: VideoTrack, tell: @escaping @Sendable (_ width: Int, _ height: Int) -> Void) {
        reference = Mutex(Reference(track: track))
        self.tell = tell
    }

    private var track: VideoTrack? { reference.withLock { $0.track } }

    func start() { track?.add(self) }
    func stop() { track?.remove(self) }

    func deliver(_ frame: VideoFrame) {
        guard !isDone.exchange(true, ordering: .relaxed) else { return }
        stop()
        tell(frame.width, frame.height)
    }
}
