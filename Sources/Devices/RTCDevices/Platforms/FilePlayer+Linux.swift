#if os(Linux)
    import RTCFrames
    import RTCWire
    import Synchronization

    /// Plays a file in real time to whoever wants its pictures and its sound, on a thread that runs while anybody does.
    ///
    /// Time stands still in the file while nobody does. Two decoders take turns, so that the beginning follows the end without
    /// a pause: while one plays, the other waits at the beginning.
    final class FilePlayer: Sendable {
        struct Sinks: Sendable {
            var video: (any VideoSink)?
            var audio: (any AudioSink)?

            var isEmpty: Bool { video == nil && audio == nil }
        }

        private struct State {
            var sinks = Sinks()
            /// Whether the thread is there. It is the one that says that it goes.
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
            playback.withLock { $0.resume(at: MediaThread.now) }
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

    /// Where a file is played, and what of it comes next.
    struct FilePlayback: ~Copyable {
        /// In order of their turns: one, or two that play for ever.
        private var decoders: [FileDecoder]
        private var turn = 0
        private let hasVideo: Bool
        private let hasAudio: Bool
        private let loops: Bool
        private let pool = I420BufferPool(capacity: 8)
        /// When the first picture of the file was due, or would have been.
        private var beginning = Instant.zero
        /// How far it was played when it was paused.
        private var position = TimeDelta.zero
        /// By how much later the present round is than the file says.
        private var offset = TimeDelta.zero

        private var picture: FileDecoder.Picture?
        private var sound = SoundPieces()
        private var videoEnd: TimeDelta?
        private var audioEnd: TimeDelta?
        /// Of what came so far in this round.
        private var reached = TimeDelta.zero

        /// How long to sleep at once, so that one who stops it does not wait long.
        private static let nap = TimeDelta.milliseconds(20)
        /// A picture that is later than this is left out, if the next one is there.
        private static let lateness = TimeDelta.milliseconds(80)
        /// After a halt of this length, nobody wants to see what was missed.
        private static let halt = TimeDelta.milliseconds(500)
        /// The shortest file that is worth repeating.
        private static let shortestRound = TimeDelta.milliseconds(100)

        init(_ decoders: consuming sending [FileDecoder]) {
            hasVideo = decoders[0].videoFormat != nil
            hasAudio = decoders[0].hasAudio
            loops = decoders.count > 1
            self.decoders = decoders
        }

        mutating func resume(at now: Instant) { beginning = now - position }

        mutating func pause() { position = MediaThread.now - beginning }

        /// Delivers what is due next, or sleeps for a while.
        ///
        /// - Returns: False at the end.
        mutating func step(_ sinks: FilePlayer.Sinks) throws(DeviceError) -> Bool {
            try fill()
            let videoTime = picture.map { $0.time + offset }
            let audioTime = sound.time.map { $0 + offset }
            guard let time = [videoTime, audioTime].compactMap({ $0 }).min() else {
                // What has not ended has nothing yet.
                if videoEnd == nil || audioEnd == nil { return true }
                return nextRound()
            }
            var due = beginning + time
            let now = MediaThread.now
            if now - due > Self.halt {
                beginning += now - due
                due = now
            }
            let wait = due - now
            if wait > .zero {
                MediaThread.sleep(min(wait, Self.nap))
                if wait > Self.nap { return true }
            }
            if videoTime == time {
                deliverPicture(to: sinks.video, at: due)
            } else {
                deliverSound(to: sinks.audio, at: due)
            }
            return true
        }

        /// Gets what comes next of pictures and sound. It waits only if nothing else is there to be delivered.
        private mutating func fill() throws(DeviceError) {
            let decoder = decoders[turn]
            if audioEnd == nil, sound.time == nil {
                if !hasAudio {
                    audioEnd = .zero
                } else {
                    switch try decoder.takeSound(timeout: picture == nil ? Self.nap : .zero) {
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
                    switch try decoder.takePicture(timeout: sound.time == nil ? Self.nap : .zero) {
                    case .nothing: break
                    case .end: videoEnd = reached
                    case .value(let next):
                        picture = next
                        reached = next.time + (next.duration ?? .milliseconds(40))
                    }
                }
            }
            // A microphone does not fall silent for good because a film's pictures go on.
            if let end = audioEnd, hasAudio, sound.time == nil, videoEnd == nil || end < (videoEnd ?? .zero) {
                audioEnd = sound.appendSilence(after: end)
            }
        }

        private mutating func deliverPicture(to sink: (any VideoSink)?, at time: Instant) {
            guard let next = picture else { return }
            picture = nil
            let decoder = decoders[turn]
            guard let sink else { return decoder.drop(next) }
            if MediaThread.now - time > Self.lateness, videoEnd == nil,
                case .value(let later)? = try? decoder.takePicture(timeout: .zero)
            {
                decoder.drop(next)
                picture = later
                reached = later.time + (later.duration ?? .milliseconds(40))
                return
            }
            guard let buffer = decoder.frame(next, pool: pool) else { return }
            sink.deliver(VideoFrame(buffer: buffer, timestamp: time))
        }

        private mutating func deliverSound(to sink: (any AudioSink)?, at time: Instant) {
            guard let samples = sound.next() else { return }
            sink?.deliver(
                AudioFrame(
                    samples: samples, sampleRate: SoundPieces.sampleRate, channels: sound.channels, timestamp: time))
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

    /// Makes of a file's sound pieces of 10 ms.
    struct SoundPieces {
        static let sampleRate = 48_000
        private static let pieceSamples = 480
        private(set) var channels = 1
        private var samples: [Int16] = []
        private var used = 0
        private var start = TimeDelta.zero
        /// Whether the file has no more, so that a piece may be filled up.
        private var hasEnded = false

        /// Of the next piece; `nil` when there is not enough for one.
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

        /// Says that no more comes. Returns when it ends: the last piece is filled up with silence.
        mutating func finish() -> TimeDelta {
            hasEnded = true
            let piece = Self.pieceSamples * channels
            let pieces = (samples.count - used + piece - 1) / piece
            return position + Self.duration(pieces * Self.pieceSamples)
        }

        /// Makes a piece of silence. Returns when it ends.
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
