#if os(Linux)
    import RTCDevices
    import RTCFrames
    import RTCWire
    import Synchronization

    /// Plays a file in real time to its sinks, on a thread that runs while there are any.
    ///
    /// Playback pauses while there is no sink. A repeated file has two decoders that alternate, so that the beginning
    /// follows the end without a pause: while one plays, the other waits at the beginning.
    final class FilePlayer: Sendable {
        struct Sinks: Sendable {
            var video: (any VideoSink)?
            var audio: (any AudioSink)?

            var isEmpty: Bool { video == nil && audio == nil }
        }

        private struct State {
            var sinks = Sinks()
            /// Whether the thread exists. Only the thread itself resets it.
            var isRunning = false
            var hasEnded = false
        }

        private let state = Mutex(State())
        private let playback: Mutex<FilePlayback>
        private let onEnd: (@Sendable (DeviceError?) -> Void)?

        init(_ playback: consuming sending FilePlayback, onEnd: (@Sendable (DeviceError?) -> Void)?) {
            self.playback = Mutex(playback)
            self.onEnd = onEnd
        }

        func change(_ body: (inout Sinks) -> Void) {
            let mustStart = state.withLock { state in
                body(&state.sinks)
                guard !state.sinks.isEmpty, !state.isRunning, !state.hasEnded else { return false }
                state.isRunning = true
                return true
            }
            if mustStart, !MediaThread.start("duet-file", { [self] in run() }) { end(MediaThread.refusal) }
        }

        private func run() {
            playback.withLock { $0.resume(at: monotonicNow()) }
            while true {
                let sinks: Sinks? = state.withLock { state in
                    if !state.sinks.isEmpty { return state.sinks }
                    state.isRunning = false
                    return nil
                }
                guard let sinks else { return playback.withLock { $0.pause() } }
                do throws(DeviceError) {
                    let goesOn = try playback.withLock { playback throws(DeviceError) in try playback.step(sinks) }
                    guard !goesOn else { continue }
                    end(nil)
                } catch {
                    end(error)
                }
                return
            }
        }

        private func end(_ error: DeviceError?) {
            let sinks = state.withLock { state in
                state.isRunning = false
                state.hasEnded = true
                defer { state.sinks = Sinks() }
                return state.sinks
            }
            withExtendedLifetime(sinks) {}
            onEnd?(error)
        }
    }

    /// The playback position of a file, and the next frame and audio.
    struct FilePlayback: ~Copyable {
        /// In the order of playback: one decoder, or two if the file is repeated.
        private var decoders: [FileDecoder]
        private var turn = 0
        private let hasVideo: Bool
        private let hasAudio: Bool
        private let loops: Bool
        private let pool = I420BufferPool(capacity: 8)
        /// The time that corresponds to the beginning of the file.
        private var beginning = Instant.zero
        /// The position at which playback was paused.
        private var position = TimeDelta.zero
        /// The offset of the current round from the file's own times.
        private var offset = TimeDelta.zero

        private var picture: FileDecoder.Picture?
        private var sound = AudioFrameSplitter()
        private var videoEnd: TimeDelta?
        private var audioEnd: TimeDelta?
        /// The end of the latest frame of this round.
        private var reached = TimeDelta.zero

        /// The longest sleep, so that stopping does not take long.
        private static let maximumSleep = TimeDelta.milliseconds(20)
        /// A frame that is later than this is dropped if the next one is decoded.
        private static let lateness = TimeDelta.milliseconds(80)
        /// After a stall longer than this, playback continues where it stopped instead of catching up.
        private static let halt = TimeDelta.milliseconds(500)
        /// The shortest duration of a repeated round.
        private static let shortestRound = TimeDelta.milliseconds(100)

        init(_ decoders: consuming sending [FileDecoder]) {
            hasVideo = decoders[0].videoFormat != nil
            hasAudio = decoders[0].hasAudio
            loops = decoders.count > 1
            self.decoders = decoders
        }

        mutating func resume(at now: Instant) { beginning = now - position }

        mutating func pause() { position = monotonicNow() - beginning }

        /// Delivers the next frame or audio that is due, or sleeps for a while.
        ///
        /// - Returns: False at the end.
        mutating func step(_ sinks: FilePlayer.Sinks) throws(DeviceError) -> Bool {
            try fill()
            let videoTime = picture.map { $0.time + offset }
            let audioTime = sound.time.map { $0 + offset }
            guard let time = [videoTime, audioTime].compactMap({ $0 }).min() else {
                // A stream that has not ended has nothing decoded yet.
                if videoEnd == nil || audioEnd == nil { return true }
                return nextRound()
            }
            var due = beginning + time
            let now = monotonicNow()
            if now - due > Self.halt {
                beginning += now - due
                due = now
            }
            let wait = due - now
            if wait > .zero {
                MediaThread.sleep(min(wait, Self.maximumSleep))
                if wait > Self.maximumSleep { return true }
            }
            if videoTime == time {
                deliverVideoFrame(to: sinks.video, at: due)
            } else {
                deliverAudio(to: sinks.audio, at: due)
            }
            return true
        }

        /// Takes the next frame and audio. It waits only if there is nothing else to deliver.
        private mutating func fill() throws(DeviceError) {
            let decoder = decoders[turn]
            if audioEnd == nil, sound.time == nil {
                if !hasAudio {
                    audioEnd = .zero
                } else {
                    switch try decoder.takeAudio(timeout: picture == nil ? Self.maximumSleep : .zero) {
                    case .nothing: break
                    case .end: audioEnd = sound.finish()
                    case .value(let piece): sound.append(piece)
                    }
                }
            }
            if videoEnd == nil, picture == nil {
                if !hasVideo {
                    videoEnd = .zero
                } else {
                    switch try decoder.takeVideoFrame(timeout: sound.time == nil ? Self.maximumSleep : .zero) {
                    case .nothing: break
                    case .end: videoEnd = reached
                    case .value(let next):
                        picture = next
                        reached = next.time + (next.duration ?? .milliseconds(40))
                    }
                }
            }
            // Fills with silence while the video goes on after the end of the audio: a microphone never stops.
            if let end = audioEnd, hasAudio, sound.time == nil, videoEnd == nil || end < (videoEnd ?? .zero) {
                audioEnd = sound.appendSilence(after: end)
            }
        }

        private mutating func deliverVideoFrame(to sink: (any VideoSink)?, at time: Instant) {
            guard let next = picture else { return }
            picture = nil
            let decoder = decoders[turn]
            guard let sink else { return decoder.drop(next) }
            if monotonicNow() - time > Self.lateness, videoEnd == nil,
                case .value(let later)? = try? decoder.takeVideoFrame(timeout: .zero)
            {
                decoder.drop(next)
                picture = later
                reached = later.time + (later.duration ?? .milliseconds(40))
                return
            }
            guard let buffer = decoder.frame(next, pool: pool) else { return }
            sink.deliver(VideoFrame(buffer: buffer, timestamp: time))
        }

        private mutating func deliverAudio(to sink: (any AudioSink)?, at time: Instant) {
            guard let samples = sound.next() else { return }
            sink?.deliver(
                AudioFrame(
                    samples: samples, sampleRate: AudioFrameSplitter.sampleRate, channels: sound.channels,
                    timestamp: time))
        }

        private mutating func nextRound() -> Bool {
            guard loops else { return false }
            offset = offset + max(videoEnd ?? .zero, audioEnd ?? .zero, Self.shortestRound)
            decoders[turn].rewind()
            turn = 1 - turn
            (videoEnd, audioEnd, reached) = (nil, nil, .zero)
            return true
        }

        deinit { if let picture { decoders[turn].drop(picture) } }
    }

    /// Splits a file's audio into frames of 10 ms.
    struct AudioFrameSplitter {
        static let sampleRate = 48_000
        private static let pieceSamples = 480
        private(set) var channels = 1
        private var samples: [Int16] = []
        private var used = 0
        private var start = TimeDelta.zero
        /// Whether the audio has ended, so that the last frame may be padded.
        private var hasEnded = false

        /// The time of the next frame; `nil` if there are not enough samples for one.
        var time: TimeDelta? {
            let count = samples.count - used
            return count >= Self.pieceSamples * channels || hasEnded && count > 0 ? position : nil
        }

        private var position: TimeDelta { start + Self.duration(used / channels) }

        mutating func append(_ sound: FileDecoder.Sound) {
            hasEnded = false
            if samples.count == used || sound.channels != channels {
                samples.removeAll(keepingCapacity: true)
                used = 0
                channels = sound.channels
                start = sound.time
            } else if used > 0 {
                start = position
                samples.removeFirst(used)
                used = 0
            }
            samples += sound.samples
        }

        /// Marks the end of the audio. Returns the end time, with the last frame padded with silence.
        mutating func finish() -> TimeDelta {
            hasEnded = true
            let piece = Self.pieceSamples * channels
            let pieces = (samples.count - used + piece - 1) / piece
            return position + Self.duration(pieces * Self.pieceSamples)
        }

        /// Appends one frame of silence. Returns its end time.
        mutating func appendSilence(after end: TimeDelta) -> TimeDelta {
            start = end
            samples = [Int16](repeating: 0, count: Self.pieceSamples * channels)
            used = 0
            return finish()
        }

        mutating func next() -> [Int16]? {
            guard time != nil else { return nil }
            let count = min(Self.pieceSamples * channels, samples.count - used)
            var piece = Array(samples[used..<used + count])
            used += count
            piece += repeatElement(0, count: Self.pieceSamples * channels - count)
            return piece
        }

        private static func duration(_ samples: Int) -> TimeDelta {
            .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(sampleRate))
        }
    }
#endif
