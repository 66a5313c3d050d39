internal import Dispatch
internal import Logging
internal import RTCCodecs
internal import RTCFrames
internal import RTCMedia
internal import RTCWire
internal import Synchronization

/// From a track's sound to encoded packets, on a thread of its own.
final class AudioSendPipeline: AudioSink, Sendable {
    /// Sound that waits for the encoder; when more comes, the oldest is dropped.
    static let waitingLimit = TimeDelta.milliseconds(500)
    /// The longest piece of sound that is taken.
    static let longestFrame = TimeDelta.seconds(1)
    /// Packets on their way to the loop; more means that the loop is stuck, and what is made is dropped.
    static let inFlightLimit = 50

    fileprivate struct State {
        /// What to encode for; `nil` while nothing may be sent.
        var codec: RTPCodec?
        var parameters = RTPSendParameters()
        var expectedLoss = 0.0
        /// What the path has room for; `nil` before that is known.
        var target: Bitrate?
        var waiting = RingBuffer<AudioFrame>()
        var waitingTime = TimeDelta.zero
        /// Whether the queue is at work, or about to be.
        var isRunning = false
        var inFlight = 0
        var isClosed = false
        var statistics = AudioSendStatistics()
    }

    private struct Job {
        var frame: AudioFrame
        var codec: RTPCodec
        var parameters: RTPSendParameters
        var expectedLoss: Double
        var target: Bitrate?
    }

    private let queue = DispatchQueue(label: "duet.rtc.audio-encoder", qos: .userInteractive)
    private let state = Mutex(State())
    /// Used on the queue alone; the lock is never waited for.
    private let encoding = Mutex(AudioEncoding())
    private let log: Logger
    private let output: @Sendable (EncodedAudioFrame, _ captureTime: Instant) -> Void

    /// - Parameter output: Takes what was encoded, on the pipeline's thread, and calls ``didTake()`` when it is done.
    init(log: Logger, output: @escaping @Sendable (EncodedAudioFrame, _ captureTime: Instant) -> Void) {
        self.log = log
        self.output = output
    }

    // MARK: What the loop says

    /// What to encode for from now on; `nil` while nothing may be sent.
    func setCodec(_ codec: RTPCodec?) {
        state.withLock { state in
            guard state.codec != codec else { return }
            state.codec = codec
            if codec == nil { state.dropWaiting() }
        }
    }

    func setParameters(_ parameters: RTPSendParameters) {
        state.withLock { $0.parameters = parameters }
    }

    /// What the path has room for, without headers.
    func setTarget(_ target: Bitrate) {
        state.withLock { $0.target = target }
    }

    /// The share of packets that got lost lately, as the other side reports.
    func setExpectedLoss(_ loss: Double) {
        state.withLock { $0.expectedLoss = min(max(loss, 0), 1) }
    }

    /// What ``output`` was given has been taken.
    func didTake() {
        state.withLock { $0.inFlight -= 1 }
    }

    /// The track is another one, or there is none: what waits of the old one is not sent any more.
    func forgetWaiting() {
        state.withLock { $0.dropWaiting() }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.codec = nil
            state.dropWaiting()
        }
        queue.async { [self] in encoding.withLock { $0 = AudioEncoding() } }
    }

    var statistics: AudioSendStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.isActive = state.parameters.isActive
            return statistics
        }
    }

    // MARK: Sound

    func deliver(_ frame: AudioFrame) {
        guard (1...2).contains(frame.channels), (8_000...192_000).contains(frame.sampleRate),
            !frame.samples.isEmpty, frame.samples.count % frame.channels == 0, frame.duration <= Self.longestFrame
        else {
            let isNews = state.withLock { state in
                defer { state.statistics.refusedFrames += 1 }
                return state.statistics.refusedFrames == 0
            }
            if isNews {
                log.warning(
                    """
                    Sound with \(frame.channels) channels at \(frame.sampleRate) Hz in pieces of \
                    \(frame.samples.count) samples is not sent: deliver one or two channels, 8 to 192 kHz, and at most \
                    a second at once
                    """)
            }
            return
        }
        let frame = frame.stamped(at: MediaClock.now)
        let mustStart = state.withLock { state in
            guard !state.isClosed else { return false }
            state.statistics.note(frame)
            guard state.codec != nil, state.parameters.isActive else { return false }
            state.waiting.append(frame)
            state.waitingTime = state.waitingTime + frame.duration
            while state.waitingTime > Self.waitingLimit, state.waiting.count > 1, let oldest = state.waiting.popFirst()
            {
                state.waitingTime = state.waitingTime - oldest.duration
                state.statistics.droppedFrames += 1
            }
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        guard mustStart else { return }
        queue.async { [self] in
            while let job = nextJob() { encode(job) }
        }
    }

    private func nextJob() -> Job? {
        state.withLock { state in
            guard !state.isClosed, let codec = state.codec, let frame = state.waiting.popFirst() else {
                state.isRunning = false
                return nil
            }
            state.waitingTime = state.waitingTime - frame.duration
            return Job(
                frame: frame, codec: codec, parameters: state.parameters, expectedLoss: state.expectedLoss,
                target: state.target)
        }
    }

    private func encode(_ job: Job) {
        do throws(CodecError) {
            let packets = try encoding.withLock { encoding throws(CodecError) in
                try encoding.encode(
                    job.frame, codec: job.codec, parameters: job.parameters, expectedLoss: job.expectedLoss,
                    target: job.target)
            }
            for packet in packets {
                let isTaken = state.withLock { state in
                    state.statistics.target = packet.target
                    guard state.inFlight < Self.inFlightLimit else { return false }
                    state.inFlight += 1
                    return true
                }
                if isTaken { output(packet.frame, packet.captureTime) }
            }
        } catch {
            let isNews = state.withLock { state in
                defer { state.statistics.encoderFailures += 1 }
                return state.statistics.encoderFailures == 0
            }
            if isNews { log.warning("Sound cannot be encoded as \(job.codec.name): \(error)") }
        }
    }
}

extension AudioSendPipeline.State {
    fileprivate mutating func dropWaiting() {
        while waiting.popFirst() != nil {}
        waitingTime = .zero
    }
}

/// What an audio sender did, as far as its encoder knows.
struct AudioSendStatistics: Sendable {
    /// Of the last piece: 0 to 1.
    var audioLevel = 0.0
    var totalAudioEnergy = 0.0
    var totalSamplesDuration = TimeDelta.zero
    var isActive = true
    /// Pieces that were dropped since the encoder could not follow.
    var droppedFrames = 0
    /// Pieces that have a form which is not taken.
    var refusedFrames = 0
    var encoderFailures = 0
    var target: Bitrate?

    mutating func note(_ frame: AudioFrame) {
        let loudness = AudioLoudness(of: frame.samples)
        audioLevel = loudness.level
        totalAudioEnergy += loudness.energy * frame.duration.seconds
        totalSamplesDuration = totalSamplesDuration + frame.duration
    }
}

/// Loudness as W3C webrtc-stats counts it.
struct AudioLoudness {
    /// 0 to 1, which is the highest there is.
    var level = 0.0
    /// The square of the root mean square.
    var energy = 0.0

    init(of samples: [Int16]) {
        self = samples.withUnsafeBufferPointer { AudioLoudness(of: $0) }
    }

    init(of samples: UnsafeBufferPointer<Int16>) {
        guard !samples.isEmpty else { return }
        var sum = 0.0
        for sample in samples { sum += Double(sample) * Double(sample) }
        energy = sum / Double(samples.count) / (32_767 * 32_767)
        level = min(1, energy.squareRoot())
    }
}

extension AudioFrame {
    /// With a timestamp that makes sense: an application may not know about ``MediaClock``.
    fileprivate func stamped(at now: Instant) -> AudioFrame {
        guard timestamp > now + .seconds(1) || timestamp < now - .seconds(10) else { return self }
        var frame = self
        frame.timestamp = now - duration
        return frame
    }
}
