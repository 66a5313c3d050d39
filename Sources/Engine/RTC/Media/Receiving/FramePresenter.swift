internal import NIOCore
internal import RTCFrames
internal import RTCNetwork
internal import RTCWire
internal import Synchronization

/// Holds decoded frames until they are due, and then outputs the newest one due.
final class FramePresenter: Sendable {
    /// The most waiting frames. Beyond that, the oldest are dropped.
    static let limit = 12
    /// The most pixels of waiting frames: those of twelve frames of 1920 × 1080.
    static let pixelLimit = 12 * 1_920 * 1_080

    fileprivate struct State {
        /// In order of their timestamps.
        var frames: [VideoFrame] = []
        /// The time at which the thread next wakes up for this presenter.
        var wakeUp: Instant?
        var isClosed = false
        var dropped = 0
        var presented = 0
    }

    private let state = Mutex(State())
    private let output: @Sendable (VideoFrame) -> Void

    /// - Parameter output: Receives each frame at the time of its timestamp.
    init(output: @escaping @Sendable (VideoFrame) -> Void) {
        self.output = output
    }

    func present(_ frame: VideoFrame) {
        let wakeUp: Instant? = state.withLock { state in
            guard !state.isClosed else { return nil }
            let place = state.frames.lastIndex { $0.timestamp <= frame.timestamp }.map { $0 + 1 } ?? 0
            state.frames.insert(frame, at: place)
            state.dropSurplus()
            return state.nextWakeUp
        }
        if let wakeUp { schedule(wakeUp) }
    }

    private func schedule(_ time: Instant) {
        MediaThreads.presentation.scheduleTask(deadline: time.deadline) { [weak self] in self?.wake() }
    }

    private func wake() {
        let now = MediaClock.now
        let (frame, wakeUp): (VideoFrame?, Instant?) = state.withLock { state in
            state.wakeUp = nil
            var newest: VideoFrame?
            while let first = state.frames.first, first.timestamp <= now {
                // A later frame is due too, so this one is too late.
                if newest != nil { state.dropped += 1 }
                newest = state.frames.removeFirst()
            }
            if newest != nil { state.presented += 1 }
            return (newest, state.nextWakeUp)
        }
        if let frame { output(frame) }
        if let wakeUp { schedule(wakeUp) }
    }

    /// Drops all waiting frames.
    func removeAll() {
        let frames = state.withLock { state in
            defer { state.frames = [] }
            return state.frames
        }
        withExtendedLifetime(frames) {}
    }

    func close() {
        state.withLock { $0.isClosed = true }
        removeAll()
    }

    /// The numbers of frames presented and dropped.
    var counts: (presented: Int, dropped: Int) { state.withLock { ($0.presented, $0.dropped) } }
}

extension FramePresenter.State {
    /// Never drops the newest frame.
    fileprivate mutating func dropSurplus() {
        var pixels = frames.reduce(0) { $0 + $1.width * $1.height }
        while frames.count > FramePresenter.limit || pixels > FramePresenter.pixelLimit, frames.count > 1 {
            let oldest = frames.removeFirst()
            pixels -= oldest.width * oldest.height
            dropped += 1
        }
    }

    /// The time to wake the thread, if earlier than planned.
    fileprivate var nextWakeUp: Instant? {
        mutating get {
            guard let first = frames.first, wakeUp.map({ first.timestamp < $0 }) ?? true else { return nil }
            wakeUp = first.timestamp
            return first.timestamp
        }
    }
}
