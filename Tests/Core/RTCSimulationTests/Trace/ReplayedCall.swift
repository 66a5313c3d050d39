import RTCMedia
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

/// A call across a link that follows a schedule, with the traces that both ends would write. Its encoders make half as much again
/// as they are told, as libvpx does.
final class ReplayedCall {
    let call: MediaCall
    private var texts: [TraceText]
    private var samples = 0

    /// Alice sends forward.
    init(seed: UInt64, _ schedule: NetworkSchedule) throws {
        let call = try MediaCall(seed: seed) { settings in
            let configure = settings.configure
            settings.configure = { side, configuration in
                configure(side, &configuration)
                configuration.startBitrate = .megabits(1)
            }
        }
        let start = call.pair.now
        self.call = call
        texts = (0..<2).map { TraceText(at: start, timeOfDay: 1_764_000_000_000, chapter: $0) }
        for index in call.cameras.indices {
            call.cameras[index].bitrate = .megabits(4)
            call.cameras[index].model = ModelEncoder(seed: seed * 2 + UInt64(index), overshoot: 1.5)
        }
        call.pair.network.follow(schedule, from: start, forward: call.uplinks[0], backward: call.uplinks[1])
    }

    func run(forSeconds seconds: Int) {
        for _ in 0..<seconds * 10 {
            call.run(for: .milliseconds(100))
            sample()
        }
    }

    /// The trace of one side so far, from its last reading on.
    func readTrace(of side: SimulatedSide) throws -> CallTrace {
        let bytes = texts[side.rawValue].take()
        return try #require(CallTrace.calls(in: bytes).first)
    }

    /// How long the video that a side received stood still.
    func frozen(at side: SimulatedSide) -> TimeDelta {
        statistics(at: side)?.video?.totalFreezesDuration ?? .zero
    }

    /// As the engine's trace does it.
    private func sample() {
        let now = call.pair.now
        samples += 1
        for side in SimulatedSide.allCases {
            let congestion = call.pair.endpoint(side).peer.congestion(at: now)
            texts[side.rawValue].sample(congestion, at: now)
            guard samples % 10 == 0, let received = statistics(at: side), let video = received.video else { continue }
            let stream = TraceText.Stream(
                isVideo: true, isSent: false,
                counts: [
                    Int(clamping: received.packetsReceived), Int(clamping: received.bytesReceived),
                    Int(received.packetsLost), call.pair.endpoint(side).pictures.count,
                    Int(video.totalFreezesDuration.milliseconds),
                ],
                values: [SyntheticVideo.width, SyntheticVideo.height])
            texts[side.rawValue].stream(stream, number: 1, at: now)
        }
    }

    /// Of the received video.
    private func statistics(at side: SimulatedSide) -> IncomingMediaStatistics? {
        guard let camera = call.cameras.first(where: { $0.side == side.other }),
            let id = call.receiver(of: camera.transceiver, on: camera.side)
        else { return nil }
        return call.pair.endpoint(side).peer.incomingStatistics(id)
    }
}
