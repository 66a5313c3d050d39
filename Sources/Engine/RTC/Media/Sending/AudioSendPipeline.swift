internal import Dispatch
internal import Logging
internal import RTCCodecs
internal import RTCFrames
internal import RTCMedia
internal import RTCWire
internal import Synchronization

/// Encodes a track's audio to packets, on a thread of its own.
final class AudioSendPipeline: AudioSink, Sendable {
    /// The most audio that waits for the encoder; beyond that, the oldest is dropped.
    static let waitingLimit = TimeDelta.milliseconds(500)
    /// The longest buffer accepted.
    static let longestFrame = TimeDelta.seconds(1)
    /// The most packets on their way to the loop; beyond that the loop is stuck, and packets are dropped.
    static let inFlightLimit = 50

    fileprivate struct State {
        /// The codec to encode with; `nil` while nothing may be sent.
        var codec: RTPCodec?
        var parameters = RTPSendParameters()
        var expectedLoss = 0.0
        /// The target bitrate; `nil` while unknown.
        var target: Bitrate?
        var waiting = RingBuffer<AudioFrame>()
        var waitingTime = TimeDelta.zero
        /// Whether the queue is working, or about to.
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
    /// Used on the queue only; the lock never blocks.
    private let encoding = Mutex(AudioEncoding())
    private let log: Logger
    private let output: @Sendable (EncodedAudioFrame, _ captureTime: Instant) -> Void

    /// - Parameter output: Receives encoded packets, on the pipeline's thread, and calls ``didProcess()`` when done.
    init(log: Logger, output: @escaping @Sendable (EncodedAudioFrame, _ captureTime: Instant) -> Void) {
        self.log = log
        self.output = output
    }

    // MARK: Calls from the event loop

    /// Sets the codec to encode with from now on; `nil` while nothing may be sent.
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

    /// Sets the target bitrate, without headers.
    func setTarget(_ target: Bitrate) {
        state.withLock { $0.target = target }
    }

    /// Sets the recent loss ratio, as reported by the remote peer.
    func setExpectedLoss(_ loss: Double) {
        state.withLock { $0.expectedLoss = min(max(loss, 0), 1) }
    }

    /// Notes that a packet passed to ``output`` was processed.
    func didProcess() {
        state.withLock { $0.inFlight -= 1 }
    }

    /// Drops the waiting audio, because the track was replaced or removed.
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

    // MARK: Audio

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

/// The statistics of an audio sender, as far as the encoder provides them.
struct AudioSendStatistics: Sendable {
    /// The level of the last buffer: 0 to 1.
    var audioLevel = 0.0
    var totalAudioEnergy = 0.0
    var totalSamplesDuration = TimeDelta.zero
    var isActive = true
    /// Buffers dropped because the encoder was too slow.
    var droppedFrames = 0
    /// Buffers with an unsupported format.
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

/// The audio level and energy, as defined by W3C webrtc-stats.
struct AudioLoudness {
    /// The level, 0 to 1.
    var level = 0.0
    /// The squared root mean square.
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
    /// Replaces an implausible timestamp: an application may not use ``MediaClock``.
    fileprivate func stamped(at now: Instant) -> AudioFrame {
        guard timestamp > now + .seconds(1) || timestamp < now - .seconds(10) else { return self }
        var frame = self
        frame.timestamp = now - duration
        return frame
    }
}
