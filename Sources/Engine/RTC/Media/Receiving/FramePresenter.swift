internal import NIOCore
internal import RTCFrames
internal import RTCWire
internal import Synchronization

/// Holds decoded pictures until it is time to show them, and then gives out the newest that is due.
final class FramePresenter: Sendable {
    /// How many pictures may wait. When more come, the oldest are left out.
    static let limit = 12
    /// The pixels of those that may wait: as many as twelve of 1920 × 1080 have.
    static let pixelLimit = 12 * 1_920 * 1_080

    fileprivate struct State {
        /// In the order of their times.
        var frames: [VideoFrame] = []
        /// When the thread wakes next for us.
        var wakeUp: Instant?
        var isClosed = false
        var dropped = 0
        var presented = 0
    }

    private let state = Mutex(State())
    private let output: @Sendable (VideoFrame) -> Void

    /// - Parameter output: Is given each picture at the time that its timestamp says.
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
        let deadline = NIODeadline.uptimeNanoseconds(UInt64(clamping: time.nanoseconds))
        MediaThreads.presentation.scheduleTask(deadline: deadline) { [weak self] in self?.wake() }
    }

    private func wake() {
        let now = MediaClock.now
        let (frame, wakeUp): (VideoFrame?, Instant?) = state.withLock { state in
            state.wakeUp = nil
            var newest: VideoFrame?
            while let first = state.frames.first, first.timestamp <= now {
                // A later one is due too: this one has missed its time.
                if newest != nil { state.dropped += 1 }
                newest = state.frames.removeFirst()
            }
            if newest != nil { state.presented += 1 }
            return (newest, state.nextWakeUp)
        }
        if let frame { output(frame) }
        if let wakeUp { schedule(wakeUp) }
    }

    /// Gives out nothing of what waits.
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

    /// Pictures that were given out, and that were left out.
    var counts: (presented: Int, dropped: Int) { state.withLock { ($0.presented, $0.dropped) } }
}

extension FramePresenter.State {
    /// The newest picture always stays.
    fileprivate mutating func dropSurplus() {
        var pixels = frames.reduce(0) { $0 + $1.width * $1.height }
        while frames.count > FramePresenter.limit || pixels > FramePresenter.pixelLimit, frames.count > 1 {
            let oldest = frames.removeFirst()
            pixels -= oldest.width * oldest.height
            dropped += 1
        }
    }

    /// When the thread has to be woken, if that is earlier than it is going to be.
    fileprivate var nextWakeUp: Instant? {
        mutating get {
            guard let first = frames.first, wakeUp.map({ first.timestamp < $0 }) ?? true else { return nil }
            wakeUp = first.timestamp
            return first.timestamp
        }
    }
}
