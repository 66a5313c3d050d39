import DuetShell
import RTC
import RTCFrames
import Synchronization

/// Measures the video of a received track.
final class VideoProbe: VideoSink {
    private struct State {
        var frames = 0
        var width = 0
        var height = 0
        var newest: TestPattern.Reading?
        /// Milliseconds from the clock in a frame to its arrival, since the last report.
        var delays: [Double] = []
    }

    private let state = Mutex(State())
    private let reads: Bool
    private let onFirstFrame: @Sendable (VideoFrame) -> Void

    /// - Parameters:
    ///   - reads: Whether to read the marks in the frames.
    ///   - onFirstFrame: Called once, on the delivering thread.
    init(reads: Bool, onFirstFrame: @escaping @Sendable (VideoFrame) -> Void) {
        self.reads = reads
        self.onFirstFrame = onFirstFrame
    }

    func deliver(_ frame: VideoFrame) {
        let now = MediaClock.now
        let reading = reads ? TestPattern.read(from: frame.buffer) : nil
        let isFirst = state.withLock { state in
            state.frames += 1
            (state.width, state.height) = (frame.width, frame.height)
            state.newest = reading
            if let reading, let delay = Self.delay(of: reading, at: now) { state.delays.append(delay) }
            return state.frames == 1
        }
        if isFirst { onFirstFrame(frame) }
    }

    /// The delay in milliseconds; `nil` if it is implausible, because another machine's clock was used.
    private static func delay(of reading: TestPattern.Reading, at now: Instant) -> Double? {
        let microseconds = now.nanoseconds / 1_000 - Int64(clamping: reading.microseconds)
        return (0..<10_000_000).contains(microseconds) ? Double(microseconds) / 1_000 : nil
    }

    /// `{"event":"video", …}`: values since the last report, and totals.
    func report(mid: String?) -> JSONValue {
        let state = state.withLock { state in
            defer { state.delays = [] }
            return state
        }
        var members: JSONValue.Members = ["mid": mid, "frames": state.frames]
        if state.frames > 0 {
            members += ["width": state.width, "height": state.height]
        }
        if let newest = state.newest { members["number"] = Int(newest.number) }
        if !state.delays.isEmpty {
            let median = state.delays.sorted()[state.delays.count / 2]
            members["delay"] = median.json(places: 1)
        }
        return .event("video", members)
    }
}
