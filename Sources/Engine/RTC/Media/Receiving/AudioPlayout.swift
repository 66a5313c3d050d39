internal import NIOCore
internal import RTCNetwork
internal import RTCWire
internal import Synchronization

/// Renders the next 10 ms of every received audio stream, every 10 ms.
///
/// The ticks follow the clock, so their number is exact over an hour too. Runs while there is a stream. An audio device
/// with its own clock may call ``AudioReceivePipeline/render(at:)`` instead.
final class AudioPlayout: Sendable {
    static let shared = AudioPlayout()

    static let period = TimeDelta.milliseconds(10)
    /// The delay of the thread beyond which missed ticks are skipped.
    static let patience = TimeDelta.milliseconds(100)

    fileprivate struct State {
        var streams: [AudioReceivePipeline] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    private init() {}

    /// Adds a stream, unless it is already there.
    func add(_ stream: AudioReceivePipeline) {
        let mustStart = state.withLock { state in
            guard !state.streams.contains(where: { $0 === stream }) else { return false }
            state.streams.append(stream)
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        if mustStart { schedule(MediaClock.now) }
    }

    func remove(_ stream: AudioReceivePipeline) {
        state.withLock { $0.streams.removeAll { $0 === stream } }
    }

    /// How many streams there are.
    var count: Int { state.withLock { $0.streams.count } }

    private func schedule(_ time: Instant) {
        MediaThreads.playout.scheduleTask(deadline: time.deadline) { [self] in tick(time) }
    }

    private func tick(_ time: Instant) {
        let streams = state.withLock { state in
            if state.streams.isEmpty { state.isRunning = false }
            return state.streams
        }
        guard !streams.isEmpty else { return }
        let now = MediaClock.now
        let time = now - time > Self.patience ? now : time
        for stream in streams { stream.render(at: time) }
        schedule(time + Self.period)
    }
}
