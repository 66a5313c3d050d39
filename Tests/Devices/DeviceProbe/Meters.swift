#if os(Linux)
    import Glibc
    import RTCFrames
    import RTCWire
    import Synchronization

    /// In seconds, on the clock that Python's `time.monotonic()` reads too.
    func monotonic() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// What this process has used of the processor so far, in seconds.
    func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    func entries(_ path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    /// In kilobytes.
    func residentMemory() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 128)
        fgets(&text, 128, file)
        let parts = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
            separator: " ")
        return parts.count > 1 ? (Int(parts[1]) ?? 0) * 4 : 0
    }

    /// One line of JSON.
    struct Line {
        private var text: String

        init(_ event: String) { text = "{\"event\":\"\(event)\",\"at\":\(monotonic())" }

        func add(_ key: String, _ value: String) -> Line {
            var line = self
            let escaped = value.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : $0 == "\n" ? " " : String($0) }.joined()
            line.text += ",\"\(key)\":\"\(escaped)\""
            return line
        }

        func add(_ key: String, _ value: Int) -> Line {
            var line = self
            line.text += ",\"\(key)\":\(value)"
            return line
        }

        func add(_ key: String, _ value: Double) -> Line {
            var line = self
            line.text += ",\"\(key)\":\(value.isFinite ? value : -1)"
            return line
        }

        private static let lock = Mutex(())

        func write() {
            let bytes = Array((text + "}\n").utf8)
            _ = Self.lock.withLock { _ in Glibc.write(1, bytes, bytes.count) }
        }
    }

    /// Counts pictures, and looks how old they are when they arrive.
    final class PictureMeter: VideoSink, @unchecked Sendable {
        private let state = Mutex((count: 0, age: 0.0))
        /// Set before it is used.
        var onFirst: (@Sendable (VideoFrame) -> Void)?

        var count: Int { state.withLock { $0.count } }
        /// In milliseconds, the mean.
        var age: Double { state.withLock { $0.count > 0 ? $0.age / Double($0.count) : 0 } }

        func deliver(_ frame: VideoFrame) {
            let age = monotonic() * 1_000 - Double(frame.timestamp.nanoseconds) / 1e6
            let isFirst = state.withLock { state in
                state.count += 1
                state.age += age
                return state.count == 1
            }
            if isFirst { onFirst?(frame) }
        }
    }

    /// Tells how loud half a second was, in decibels below the loudest that there is.
    final class SoundMeter: AudioSink, @unchecked Sendable {
        private let state = Mutex((sum: 0.0, count: 0))
        private let tell: @Sendable (Double, AudioFrame) -> Void
        /// Set before the first frame.
        var onFrame: (@Sendable (AudioFrame) -> Void)?

        init(_ tell: @escaping @Sendable (Double, AudioFrame) -> Void) { self.tell = tell }

        func deliver(_ frame: AudioFrame) {
            onFrame?(frame)
            let level: Double? = state.withLock { state in
                for sample in frame.samples { state.sum += Double(sample) * Double(sample) }
                state.count += frame.samples.count
                guard state.count >= frame.sampleRate * frame.channels / 2 else { return nil }
                defer { state = (0, 0) }
                return 10 * log10(max(state.sum / Double(state.count), 1e-3) / (32_768 * 32_768))
            }
            if let level { tell(level, frame) }
        }
    }

    final class LevelRecord: Sendable {
        private let state = Mutex((levels: [Double](), gaps: 0, last: Instant?.none))

        /// - Parameter frame: The last of half a second of sound.
        func add(_ level: Double, _ frame: AudioFrame) {
            state.withLock { state in
                state.levels.append(level)
                if let last = state.last, abs((frame.timestamp - last).milliseconds - 500) > 40 { state.gaps += 1 }
                state.last = frame.timestamp
            }
        }

        /// How often half a second of sound did not take half a second.
        var gaps: Int { state.withLock { $0.gaps } }
        var text: String { state.withLock { $0.levels.map { "\(Int($0))" }.joined(separator: " ") } }
        /// The mean of the last levels.
        func ofTheLast(_ count: Int) -> Double {
            state.withLock { state in
                let last = state.levels.suffix(count)
                return last.isEmpty ? 0 : last.reduce(0, +) / Double(last.count)
            }
        }
    }

    /// How much later than announced played sound is heard, for each half second: where both fit together best.
    final class EchoDelay: Sendable {
        /// The loudness of each millisecond since the beginning.
        private let state = Mutex((played: [Float](), heard: [Float]()))
        private let start: Instant
        private static let (window, delays) = (500, -100...300)

        init(from start: Instant) { self.start = start }

        func plays(_ samples: [Int16]) {
            state.withLock { Self.add(samples, channels: 2, at: $0.played.count, to: &$0.played) }
        }

        func hears(_ frame: AudioFrame) {
            let at = Int((frame.timestamp - start).milliseconds)
            guard (0...60_000).contains(at) else { return }
            state.withLock { Self.add(frame.samples, channels: frame.channels, at: at, to: &$0.heard) }
        }

        /// In milliseconds.
        var text: String {
            let (played, heard) = state.withLock { $0 }
            return stride(from: 0, to: heard.count - Self.window, by: Self.window).map { begin in
                let sums = Self.delays.map { delay in
                    (begin..<begin + Self.window).reduce(Float(0)) { sum, at in
                        played.indices.contains(at - delay) ? sum + played[at - delay] * heard[at] : sum
                    }
                }
                let best = sums.indices.max { sums[$0] < sums[$1] } ?? 0
                return "\(Self.delays.lowerBound + best)"
            }.joined(separator: " ")
        }

        private static func add(_ samples: [Int16], channels: Int, at first: Int, to loudness: inout [Float]) {
            let size = 48 * channels
            for (place, begin) in stride(from: 0, to: samples.count - size + 1, by: size).enumerated() {
                while loudness.count <= first + place { loudness.append(0) }
                loudness[first + place] = samples[begin..<begin + size].reduce(Float(0)) { $0 + abs(Float($1)) }
            }
        }
    }

    /// What a microphone said of its echo cancellation, in order, each once in a row.
    struct EchoStates {
        private var states: [String] = []

        var text: String { states.joined(separator: " ") }

        mutating func note(_ state: EchoCancellation?) {
            let word =
                switch state {
                case .off: "off"
                case .holding: "holding"
                case .lost: "lost"
                case nil: "unknown"
                }
            if states.last != word { states.append(word) }
        }
    }

    /// What a picture shows at six places: near the top and near the bottom, left, in the middle, and right.
    enum Colors {
        /// Brightness and both colours of each place.
        static func text(of frame: VideoFrame) -> String {
            guard let picture = frame.buffer.i420(from: I420BufferPool(capacity: 1)) else { return "" }
            return picture.withPlanes { planes in
                [planes.height / 4, planes.height * 7 / 8].flatMap { y in
                    [1, 7, 13].map { place in
                        let x = planes.width * place / 14
                        return [
                            planes.y.row(y)[x], planes.u.row(y / 2)[x / 2], planes.v.row(y / 2)[x / 2],
                        ].map { "\($0)" }.joined(separator: ",")
                    }
                }.joined(separator: " ")
            }
        }
    }

    /// Noise that comes and goes four times a second, as a voice does: the same each time.
    struct Bursts {
        private var seed: UInt64 = 1
        private var position = 0
        private var low = 0.0

        /// Samples of two channels that are the same.
        mutating func next(_ count: Int) -> [Int16] {
            var samples: [Int16] = []
            for _ in 0..<count / 2 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let noise = Double(Int64(bitPattern: seed) >> 40) / Double(1 << 23)
                low += 0.15 * (noise - low)
                let envelope = max(0, sin(Double(position) / 48_000 * 4 * .pi))
                let sample = Int16(max(-1, min(1, low * 2 * envelope)) * 12_000)
                samples.append(sample)
                samples.append(sample)
                position += 1
            }
            return samples
        }
    }
#endif
