internal import RTC
internal import RTCWire
internal import Synchronization

/// The state of sending one kind of media.
struct SendingState: Sendable {
    var bitrate: BitrateAdjustment
    private var loss = ResidualLoss()
    /// The timestamp of the peer's last report, and the connection's bytes sent by then.
    private var lastReport: Double?
    private var lastBytes: Int?
    private var path: String?
    /// The transceiver that sends, once something was sent. It is reused when sending begins again.
    var transceiver: RTPTransceiver?
    /// Waits for the video's size.
    var probe: SizeProbe?

    init(_ config: BitrateConfig) { bitrate = BitrateAdjustment(config) }

    /// Handles a report of the peer, which may arrive less than once a second: packets sent since the previous report are counted
    /// with the next one, which contains their loss.
    ///
    /// - Parameters:
    ///   - repair: How lost packets are repaired.
    ///   - sentAgain: The number of retransmissions so far.
    ///   - bytesSent: The bytes sent by the whole connection; `nil` if unknown.
    ///   - path: Identifies the path that is used.
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
    /// The stream of the local tracks, by which the peer synchronizes them.
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

    /// Replaces the sent track; `nil` sends none. If a track is or was sent, its media section is reused; an offer is needed if
    /// sending begins or ends.
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

    /// Stores the transceiver that sends a kind of media, and sets its bitrate limit.
    private func adopt(_ transceiver: RTPTransceiver) async {
        sending.withLock { $0[transceiver.kind]?.transceiver = transceiver }
        await applyBitrate(transceiver.kind, size: nil)
        // The video's size is known with its first frame, which may arrive at any time.
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
        // The connection may have been closed meanwhile.
        if isClosed.load(ordering: .sequentiallyConsistent) { probe?.stop() }
    }

    /// Removes the probes from their tracks, whose sources would continue to run otherwise.
    func stopProbes() {
        for kind in [MediaKind.audio, .video] { setProbe(nil, kind) }
    }
}

extension PeerConnection {
    /// Adds tracks in one turn of the event loop, so that one offer contains them all.
    ///
    /// - Parameter offersBoth: Whether to add receiving transceivers for the kinds of media without a track.
    /// - Returns: The transceivers that send.
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

/// Reports the size of a track's next frame, once.
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
