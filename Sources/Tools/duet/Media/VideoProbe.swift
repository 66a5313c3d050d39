import RTC
import RTCFrames
import Synchronization

/// Looks at what a received track shows.
final class VideoProbe: VideoSink {
    private struct State {
        var frames = 0
        var width = 0
        var height = 0
        var newest: TestPicture.Reading?
        /// Milliseconds from the clock in a picture to its arrival, since the last report.
        var delays: [Double] = []
    }

    private let state = Mutex(State())
    private let reads: Bool
    private let onFirstFrame: @Sendable (VideoFrame) -> Void

    /// - Parameters:
    ///   - reads: Whether to read what is burned into the pictures.
    ///   - onFirstFrame: Called once, on the thread that delivers.
    init(reads: Bool, onFirstFrame: @escaping @Sendable (VideoFrame) -> Void) {
        self.reads = reads
        self.onFirstFrame = onFirstFrame
    }

    func deliver(_ frame: VideoFrame) {
        let now = MediaClock.now
        let reading = reads ? TestPicture.read(from: frame.buffer) : nil
        let isFirst = state.withLock { state in
            state.frames += 1
            (state.width, state.height) = (frame.width, frame.height)
            state.newest = reading
            if let reading, let delay = Self.delay(of: reading, at: now) { state.delays.append(delay) }
            return state.frames == 1
        }
        if isFirst { onFirstFrame(frame) }
    }

    /// In milliseconds; `nil` where it cannot be, because the picture was made by another machine's clock.
    private static func delay(of reading: TestPicture.Reading, at now: Instant) -> Double? {
        let microseconds = now.nanoseconds / 1_000 - Int64(clamping: reading.microseconds)
        return (0..<10_000_000).contains(microseconds) ? Double(microseconds) / 1_000 : nil
    }

    /// `{"event":"video", …}`: what came since the last time, and in all.
    func report(mid: JSONValue) -> JSONValue {
        let state = state.withLock { state in
            defer { state.delays = [] }
            return state
        }
        var members: [JSONValue.Member] = [.init("mid", mid), .init("frames", .integer(state.frames))]
        if state.frames > 0 {
            members += [.init("width", .integer(state.width)), .init("height", .integer(state.height))]
        }
        if let newest = state.newest { members.append(.init("number", .integer(Int(newest.number)))) }
        if !state.delays.isEmpty {
            let median = state.delays.sorted()[state.delays.count / 2]
            members.append(.init("delay", .decimal(median, places: 1)))
        }
        return .event("video", members)
    }
}
