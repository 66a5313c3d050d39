#if os(Linux)
    import Foundation
    import RTCFrames
    import RTCMediaFiles
    import RTCWire

    /// A folder for one test, and the films and sounds that it needs, made of our own pictures and sound by ffmpeg.
    final class GeneratedFiles: Sendable {
        let folder: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("duet-devices-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

        func write(_ bytes: [UInt8], to name: String) throws -> String {
            try Data(bytes).write(to: folder.appendingPathComponent(name))
            return path(name)
        }

        /// What a program prints to its standard output.
        @discardableResult
        static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [program] + arguments
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: data, as: UTF8.self))
        }

        struct Failed: Error { let reason: String }

        func ffmpeg(_ arguments: [String], to name: String) throws -> String {
            let status = try Self.run("ffmpeg", ["-y", "-loglevel", "error"] + arguments + [path(name)]).status
            guard status == 0 else { throw Failed(reason: "ffmpeg made no \(name)") }
            return path(name)
        }

        /// A film whose picture is white, and whose sound is loud, for the first 200 ms of each second: 320 by 180 pixels, 25
        /// pictures a second.
        ///
        /// - Parameters:
        ///   - codecs: ffmpeg's arguments.
        func makeFlashes(
            _ name: String, seconds: Int, hasVideo: Bool = true, hasAudio: Bool = true, codecs: [String]
        ) throws -> String {
            var inputs: [String] = []
            if hasVideo {
                let sink = try FileSink(path: path("flash.y4m"))
                var writer = Y4MWriter(sink, framesPerSecond: 25)
                for index in 0..<seconds * 25 { try writer.write(Flash.picture(isLit: index % 25 < 5)) }
                inputs += ["-i", path("flash.y4m")]
            }
            if hasAudio {
                let sink = try FileSink(path: path("flash.wav"))
                var writer = WAVWriter(sink)
                for index in 0..<seconds * 100 { try writer.write(Flash.sound(isLoud: index % 100 < 20, index: index)) }
                try writer.finish()
                inputs += ["-i", path("flash.wav")]
            }
            return try ffmpeg(inputs + codecs, to: name)
        }
    }

    /// Light and sound that come together.
    enum Flash {
        static func picture(isLit: Bool, width: Int = 320, height: Int = 180, at time: Instant = .zero) -> VideoFrame {
            let buffer = I420Buffer(width: width, height: height) { $0.y.fill(isLit ? 200 : 40) }
            return VideoFrame(buffer: buffer, timestamp: time)
        }

        /// 10 ms of a tone of 1 kHz, or of silence.
        static func sound(isLoud: Bool, index: Int, at time: Instant = .zero) -> AudioFrame {
            let samples = (0..<480).map { sample in
                isLoud ? Int16(12_000 * sin(Double(index * 480 + sample) * 2 * .pi / 48)) : 0
            }
            return AudioFrame(samples: samples, sampleRate: 48_000, channels: 1, timestamp: time)
        }
    }

    /// Notes when pictures become light and when sound becomes loud.
    final class FlashMeter: VideoSink, AudioSink, @unchecked Sendable {
        private let lock = NSLock()
        private var lights: [Instant] = []
        private var sounds: [Instant] = []
        private var frames: [(time: Instant, arrival: Instant, width: Int, height: Int)] = []
        private var pieces: [(time: Instant, arrival: Instant, channels: Int, count: Int)] = []
        private var wasLit = false
        private var lastLoud: Instant?

        func deliver(_ frame: VideoFrame) {
            let now = Self.now
            let level = frame.buffer.i420(from: I420BufferPool(capacity: 1))?.withPlanes { planes in
                planes.y.row(planes.height / 2)[planes.width / 2]
            }
            lock.withLock {
                frames.append((frame.timestamp, now, frame.width, frame.height))
                let isLit = (level ?? 0) > 120
                if isLit, !wasLit { lights.append(frame.timestamp) }
                wasLit = isLit
            }
        }

        func deliver(_ frame: AudioFrame) {
            let now = Self.now
            lock.withLock {
                pieces.append((frame.timestamp, now, frame.channels, frame.samplesPerChannel))
                guard let first = frame.samples.firstIndex(where: { abs(Int($0)) > 4_000 }) else { return }
                let time =
                    frame.timestamp
                    + .nanoseconds(Int64(first / frame.channels) * 1_000_000_000 / Int64(max(1, frame.sampleRate)))
                // A tone is as good as silent twice in each turn.
                if lastLoud.map({ time - $0 > .milliseconds(100) }) ?? true { sounds.append(time) }
                lastLoud = frame.timestamp + frame.duration
            }
        }

        var lightTimes: [Instant] { lock.withLock { lights } }
        var soundTimes: [Instant] { lock.withLock { sounds } }
        var pictures: [(time: Instant, arrival: Instant, width: Int, height: Int)] { lock.withLock { frames } }
        var sound: [(time: Instant, arrival: Instant, channels: Int, count: Int)] { lock.withLock { pieces } }

        /// By how many milliseconds each light comes before the sound that belongs to it.
        var leads: [Double] {
            lightTimes.compactMap { light in
                soundTimes.map { Double(($0 - light).nanoseconds) / 1e6 }.min { abs($0) < abs($1) }
            }
        }

        static var now: Instant {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        }
    }

    /// How the machine kept us waiting, as far as that was not our own work.
    struct Interruptions {
        /// All of them together.
        var total = TimeDelta.zero
        var longest = TimeDelta.zero

        /// How many pictures of 40 ms fall into them, at most.
        var pictures: Int { Int((total.milliseconds + 39) / 40) }

        /// A thread wanted to wake up after ``Heartbeat/interval`` and did so after `pause`, in which this process used `work` of
        /// the processors' time. Where that is half of what there was, we have kept ourselves waiting.
        mutating func add(pause: TimeDelta, work: TimeDelta, processors: Int) {
            guard pause >= .milliseconds(20), work.nanoseconds < pause.nanoseconds * Int64(processors) / 2 else {
                return
            }
            total = total + pause
            longest = max(longest, pause)
        }
    }

    /// Notices when the machine stands still: it wants to wake up every five milliseconds.
    private final class Heartbeat: @unchecked Sendable {
        private static let interval = 5_000  // microseconds
        private let lock = NSLock()
        private var interruptions = Interruptions()
        private var isOver = false

        init() {
            let processors = ProcessInfo.processInfo.activeProcessorCount
            Thread.detachNewThread { [self] in
                var (last, used) = (FlashMeter.now, Self.processorTime)
                while lock.withLock({ !isOver }) {
                    usleep(UInt32(Self.interval))
                    let (now, use) = (FlashMeter.now, Self.processorTime)
                    lock.withLock { interruptions.add(pause: now - last, work: use - used, processors: processors) }
                    (last, used) = (now, use)
                }
            }
        }

        /// Of all threads of this process.
        private static var processorTime: Instant {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        }

        func end() -> Interruptions {
            lock.withLock {
                isOver = true
                return interruptions
            }
        }
    }

    /// What comes of `body`, and how the machine kept us waiting meanwhile: by so much, and no more, the result may be off.
    func watched<Result>(_ body: () async throws -> Result) async throws -> (Result, Interruptions) {
        let heartbeat = Heartbeat()
        do {
            let result = try await body()
            return (result, heartbeat.end())
        } catch {
            _ = heartbeat.end()
            throw error
        }
    }

    /// Waits until something holds, for 20 seconds at most.
    func wait(until isDone: () -> Bool) async throws {
        for _ in 0..<4_000 where !isDone() { try await Task.sleep(for: .milliseconds(5)) }
    }
#endif
