import Dispatch
import RTC
import RTCFrames
import RTCMediaFiles
import Synchronization

/// Marks the frames of another source with their numbers.
final class MarkingSource: VideoSource {
    private let source: any VideoSource
    private let sampler: any VideoSink
    private let next = Atomic<UInt32>(0)

    /// - Parameter sampler: Receives the marked frames too.
    init(_ source: any VideoSource, sampler: any VideoSink) {
        self.source = source
        self.sampler = sampler
    }

    func start(delivering sink: any VideoSink) {
        source.start(
            delivering: Marker(to: [sink, sampler]) { [self] in next.add(1, ordering: .relaxed).oldValue })
    }

    func stop() { source.stop() }

    private final class Marker: VideoSink {
        private struct Memory: @unchecked Sendable { let pool = I420BufferPool(capacity: 12) }

        private let sinks: [any VideoSink]
        private let number: @Sendable () -> UInt32
        private let memory = Mutex(Memory())

        init(to sinks: [any VideoSink], number: @escaping @Sendable () -> UInt32) {
            self.sinks = sinks
            self.number = number
        }

        func deliver(_ frame: VideoFrame) {
            let number = number()
            let marked: I420Buffer? = memory.withLock { memory in
                guard let picture = frame.buffer.i420(from: memory.pool) else { return nil }
                return picture.withPlanes { planes in
                    memory.pool.makeBuffer(width: picture.width, height: picture.height) { target in
                        target.copy(planes)
                        FrameMark.draw(number, into: target)
                    }
                }
            }
            guard let marked else { return }
            let frame = VideoFrame(buffer: marked, rotation: frame.rotation, timestamp: frame.timestamp)
            for sink in sinks { sink.deliver(frame) }
        }
    }
}

/// Writes each ``QualityProbe/stride``th marked frame, each number once, into Y4M files, one per size.
final class PictureSampler: VideoSink {
    private struct State {
        var last: UInt32?
        var recorders: [String: VideoRecorder] = [:]
    }

    private let queue = DispatchQueue(label: "duet.PictureSampler")
    private let prefix: String
    private let state = Mutex(State())

    /// - Parameter prefix: The prefix of the files' names: `sent` creates `sent-1280x720.y4m`.
    init(prefix: String) {
        self.prefix = prefix
    }

    func deliver(_ frame: VideoFrame) {
        guard let picture = frame.buffer as? I420Buffer, let number = picture.withPlanes({ FrameMark.read($0) }),
            number.isMultiple(of: QualityProbe.stride)
        else { return }
        let isNew = state.withLock { state in
            defer { state.last = number }
            return state.last != number
        }
        // On a queue, since writing may be slow.
        if isNew { queue.async { [self] in write(frame) } }
    }

    private func write(_ frame: VideoFrame) {
        let size = "\(frame.width)x\(frame.height)"
        let recorder: VideoRecorder? = state.withLock { state in
            if let recorder = state.recorders[size] { return recorder }
            guard let file = try? FileSink(path: "\(prefix)-\(size).y4m") else { return nil }
            let recorder = VideoRecorder(file)
            state.recorders[size] = recorder
            return recorder
        }
        recorder?.deliver(frame)
    }

    /// Waits until everything is written.
    func finish() {
        queue.sync {}
    }
}

/// The audio of another source, which a second sink receives too.
final class TappedSource: AudioSource {
    private let source: any AudioSource
    private let tap: any AudioSink

    init(_ source: any AudioSource, tap: any AudioSink) {
        self.source = source
        self.tap = tap
    }

    func start(delivering sink: any AudioSink) { source.start(delivering: Both(first: sink, second: tap)) }

    func stop() { source.stop() }

    var echoCancellation: EchoCancellation? { source.echoCancellation }

    private final class Both: AudioSink {
        private let first: any AudioSink
        private let second: any AudioSink

        init(first: any AudioSink, second: any AudioSink) {
            self.first = first
            self.second = second
        }

        func deliver(_ frame: AudioFrame) {
            first.deliver(frame)
            second.deliver(frame)
        }
    }
}
