internal import Dispatch
internal import Logging
internal import RTCCodecs
internal import RTCFrames
internal import RTCMedia
internal import RTCWire
internal import Synchronization

/// Encodes a track's frames, on a thread of its own.
///
/// While the encoder is busy, or frames wait for the network, only the newest frame is kept. Before the remote peer is
/// ready, the last frame is kept, so that it can be sent at once. A still picture is encoded several times, because its
/// first frame gets few bytes.
final class VideoSendPipeline: VideoSink, Sendable {
    /// The most encoded frames on their way to the loop; beyond that the loop is stuck, and encoding pauses.
    static let inFlightLimit = 4
    /// The number of repetitions of a frame without a successor, and their interval.
    static let (refinements, refinementInterval) = (6, TimeDelta.milliseconds(400))

    fileprivate struct State {
        /// The codec to encode with; `nil` while nothing may be sent.
        var codec: RTPCodec?
        var parameters = RTPSendParameters()
        var target: Bitrate
        var limit = FrameRateLimit()
        /// The frame rate that network and processor allow; `nil` for all frames.
        var framerateLimit: Double?
        var contentHint: VideoContentHint?
        /// The frames dropped since the last one that was encoded, because earlier ones waited for the network.
        var dropped = 0
        /// The frame waiting for the encoder.
        var pending: VideoFrame?
        /// The newest frame, sent again for a key frame request without a newer one.
        var last: VideoFrame?
        var needsKeyFrame = true
        /// Whether the queue is working, or about to.
        var isRunning = false
        var isRepeatScheduled = false
        /// The number of repetitions of the last frame, which improve its quality.
        var refinements = 0
        var isRefinementScheduled = false
        /// The time that the frames queued for the network needed when the event loop reported it last, and the time of that.
        var queue = TimeDelta.zero
        var queueTime = Instant(nanoseconds: 0)
        /// Whether the encoder waits for that queue.
        var isQueueAwaited = false
        /// The time of the last encoded frame.
        var lastEncoded = Instant(nanoseconds: 0)
        var inFlight = 0
        var isClosed = false
        var statistics = VideoSendStatistics()
        var inputRate = FrameRateMeter()
        var outputRate = FrameRateMeter()
    }

    private struct Job {
        var frame: VideoFrame
        var codec: RTPCodec
        var parameters: RTPSendParameters
        var contentHint: VideoContentHint?
        var target: Bitrate
        /// The frames that were dropped since the last job because too much waited for the network.
        var dropped: Int
        /// The time that the frames before it still take to leave.
        var queue: TimeDelta
        var framesPerSecond: Double
        var keyFrame: Bool
    }

    private let queue = DispatchQueue(label: "duet.rtc.video-encoder", qos: .userInitiated)
    private let state: Mutex<State>
    /// Used on the queue only; the lock never blocks.
    private let encoding = Mutex(VideoEncoding())
    private let log: Logger
    private let output: @Sendable (EncodedVideoFrame, _ captureTime: Instant) -> Void

    /// - Parameter output: Receives encoded frames, on the pipeline's thread, and calls ``didProcess()`` when done.
    init(
        startBitrate: Bitrate, log: Logger,
        output: @escaping @Sendable (EncodedVideoFrame, _ captureTime: Instant) -> Void
    ) {
        state = Mutex(State(target: startBitrate))
        self.log = log
        self.output = output
    }

    // MARK: Calls from the event loop

    /// Sets the codec to encode with from now on; `nil` while nothing may be sent.
    func setCodec(_ codec: RTPCodec?) {
        state.withLock { state in
            guard state.codec != codec else { return }
            if state.codec == nil { state.pending = state.last?.refreshed(at: MediaClock.now) }
            state.codec = codec
            state.needsKeyFrame = true
            state.refinements = 0
        }
        run()
    }

    func setParameters(_ parameters: RTPSendParameters) {
        state.withLock { state in
            if parameters.isActive, !state.parameters.isActive {
                state.needsKeyFrame = true
                state.pending = state.last?.refreshed(at: MediaClock.now)
            }
            state.parameters = parameters
        }
        run()
    }

    /// Sets the bitrate to encode for.
    ///
    /// - Parameter queue: The time that the packets queued for the network now take to leave, which depends on the rate.
    func setTarget(_ target: Bitrate, queue: TimeDelta = .zero) {
        let now = MediaClock.now
        state.withLock { state in
            state.target = target
            state.noteQueue(queue, at: now)
        }
        run()
    }

    /// Makes the next frame a key frame. If there is none soon, the last frame is sent again.
    ///
    /// - Parameter queue: As for ``setTarget(_:queue:)``: the packets that the key frame replaces may be gone.
    func requestKeyFrame(queue: TimeDelta = .zero) {
        let now = MediaClock.now
        defer { run() }
        let mustRepeat = state.withLock { state in
            state.noteQueue(queue, at: now)
            state.needsKeyFrame = true
            state.refinements = 0
            defer { state.isRepeatScheduled = true }
            return !state.isRepeatScheduled && !state.isClosed
        }
        guard mustRepeat else { return }
        self.queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in self?.repeatLast() }
    }

    /// Notes that a frame passed to ``output`` was processed.
    ///
    /// - Parameter queue: The time that the packets queued for the network now take to leave.
    func didProcess(queue: TimeDelta = .zero) {
        let now = MediaClock.now
        state.withLock { state in
            state.inFlight -= 1
            state.noteQueue(queue, at: now)
        }
        run()
    }

    /// Drops the kept frame, because the track was replaced or removed.
    func forgetLast() {
        state.withLock { state in
            state.pending = nil
            state.last = nil
            state.needsKeyFrame = true
        }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.codec = nil
            state.pending = nil
            state.last = nil
        }
        // Frees the encoder after its current frame.
        queue.async { [self] in encoding.withLock { $0 = VideoEncoding() } }
    }

    var statistics: VideoSendStatistics {
        let now = MediaClock.now
        return state.withLock { state in
            var statistics = state.statistics
            statistics.sourceFramesPerSecond = state.inputRate.framesPerSecond(at: now)
            statistics.framesPerSecond = state.outputRate.framesPerSecond(at: now)
            statistics.isActive = state.parameters.isActive
            // Before the first frame: the bitrate at which it will be encoded.
            statistics.target = statistics.target ?? min(state.target, state.parameters.maxBitrate ?? state.target)
            return statistics
        }
    }

    // MARK: Frames

    func deliver(_ frame: VideoFrame) { deliver(frame, contentHint: nil) }

    /// - Parameter contentHint: That of the frame's track.
    func deliver(_ frame: VideoFrame, contentHint: VideoContentHint?) {
        let now = MediaClock.now
        let frame = frame.stamped(at: now)
        let isTaken = state.withLock { state in
            guard !state.isClosed else { return false }
            state.contentHint = contentHint
            state.inputRate.note(now)
            state.statistics.sourceFrames += 1
            state.statistics.sourceWidth = frame.width
            state.statistics.sourceHeight = frame.height
            // Also if it is left out now: a repetition shows it when none follows.
            state.last = frame
            state.refinements = 0
            guard state.limit.allows(frame.timestamp, framesPerSecond: state.maxFramerate) else { return false }
            guard state.codec != nil, state.parameters.isActive else { return false }
            if state.pending != nil {
                if state.isQueueAwaited {
                    state.statistics.framesDroppedQueue += 1
                    state.dropped += 1
                } else {
                    state.statistics.noteBusy()
                }
            }
            state.pending = frame
            return true
        }
        if isTaken { run() }
    }

    private func repeatLast() {
        let isTaken = state.withLock { state in
            state.isRepeatScheduled = false
            guard state.needsKeyFrame, state.pending == nil, state.codec != nil, state.parameters.isActive else {
                return false
            }
            state.pending = state.last?.refreshed(at: MediaClock.now)
            return state.pending != nil
        }
        if isTaken { run() }
    }

    /// Schedules a repetition of the encoded frame, in case none follows.
    private func scheduleRefinement() {
        let isNeeded = state.withLock { state in
            guard !state.isRefinementScheduled, !state.isClosed, state.refinements < Self.refinements else {
                return false
            }
            state.isRefinementScheduled = true
            return true
        }
        guard isNeeded else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.refinementInterval.nanoseconds))) { [weak self] in
            self?.refine()
        }
    }

    private func refine() {
        let now = MediaClock.now
        let (isTaken, isLater) = state.withLock { state in
            state.isRefinementScheduled = false
            guard state.codec != nil, state.parameters.isActive, let last = state.last else { return (false, false) }
            guard state.pending == nil, now - state.lastEncoded >= Self.refinementInterval / 2 else {
                return (false, true)
            }
            guard state.limit.allows(now, framesPerSecond: state.maxFramerate) else { return (false, true) }
            state.refinements += 1
            state.pending = last.refreshed(at: now)
            return (true, false)
        }
        if isTaken { run() }
        if isLater { scheduleRefinement() }
    }

    private func run() {
        let now = MediaClock.now
        let (mustStart, wait) = state.withLock { state -> (Bool, TimeDelta?) in
            guard !state.isRunning, state.pending != nil, state.codec != nil else { return (false, nil) }
            if let wait = state.wait(at: now) {
                defer { state.isQueueAwaited = true }
                return (false, state.isQueueAwaited ? nil : wait)
            }
            state.isRunning = true
            return (true, nil)
        }
        if let wait { runLater(after: wait) }
        guard mustStart else { return }
        queue.async { [self] in
            while let job = nextJob() { encode(job) }
        }
    }

    /// Delays encoding until the queue for the network has drained: then the newest frame is encoded, and those before
    /// it are dropped.
    private func runLater(after wait: TimeDelta) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(min(wait.nanoseconds, 1_000_000_000)))) { [weak self] in
            self?.state.withLock { $0.isQueueAwaited = false }
            self?.run()
        }
    }

    private func nextJob() -> Job? {
        let now = MediaClock.now
        let (job, wait) = state.withLock { state -> (Job?, TimeDelta?) in
            guard !state.isClosed, let codec = state.codec, let frame = state.pending, state.parameters.isActive,
                state.inFlight < Self.inFlightLimit
            else {
                state.isRunning = false
                return (nil, nil)
            }
            if let wait = state.wait(at: now) {
                state.isRunning = false
                defer { state.isQueueAwaited = true }
                return (nil, state.isQueueAwaited ? nil : wait)
            }
            state.pending = nil
            defer {
                state.needsKeyFrame = false
                state.dropped = 0
            }
            let job = Job(
                frame: frame, codec: codec, parameters: state.parameters, contentHint: state.contentHint,
                target: state.target, dropped: state.dropped, queue: state.queueLeft(at: now),
                framesPerSecond: state.inputRate.framesPerSecond(at: now), keyFrame: state.needsKeyFrame)
            return (job, nil)
        }
        if let wait { runLater(after: wait) }
        return job
    }

    private func encode(_ job: Job) {
        let begin = MediaClock.now
        let result = encoding.withLock { encoding in
            Result { () throws(CodecError) in
                try encoding.encode(
                    job.frame, codec: job.codec, parameters: job.parameters, contentHint: job.contentHint,
                    target: job.target, dropped: job.dropped, queue: job.queue,
                    framesPerSecond: job.framesPerSecond, keyFrame: job.keyFrame, at: begin)
            }
        }
        let end = MediaClock.now
        encoding.withLock { $0.noteTime(end - begin, at: end) }
        switch result {
        case .success(let encoded):
            state.withLock { state in
                state.statistics.note(encoded, time: end - begin, at: end)
                state.framerateLimit = encoded.framerateLimit
                guard let frame = encoded.frame else {
                    if job.keyFrame { state.needsKeyFrame = true }
                    return
                }
                state.outputRate.note(end)
                state.lastEncoded = end
                state.inFlight += 1
                if frame.isKeyFrame { state.statistics.keyFramesEncoded += 1 }
            }
            scheduleRefinement()
            if let frame = encoded.frame { output(frame, job.frame.timestamp) }
        case .failure(let error):
            let isNews = state.withLock { state in
                state.needsKeyFrame = true
                defer { state.statistics.encoderFailures += 1 }
                return state.statistics.encoderFailures == 0
            }
            if isNews { log.warning("Video cannot be encoded as \(job.codec.name): \(error)") }
        }
    }
}

extension VideoSendPipeline.State {
    /// The highest frame rate now; `nil` for that of the track.
    fileprivate var maxFramerate: Double? {
        guard let wanted = parameters.maxFramerate else { return framerateLimit }
        return min(wanted, framerateLimit ?? wanted)
    }

    /// Notes the time that the frames queued for the network take to leave.
    fileprivate mutating func noteQueue(_ queue: TimeDelta, at now: Instant) {
        self.queue = queue
        queueTime = now
    }

    /// The time that the frames queued for the network still take to leave.
    fileprivate func queueLeft(at now: Instant) -> TimeDelta { max(queue - (now - queueTime), .zero) }

    /// The time to wait for frames queued for the network; `nil` for none.
    fileprivate func wait(at now: Instant) -> TimeDelta? {
        let left = queueLeft(at: now)
        return left > EncoderRateControl.longestQueue ? left - EncoderRateControl.longestQueue : nil
    }
}

extension VideoFrame {
    /// Replaces an implausible timestamp: an application may not use ``MediaClock``.
    fileprivate func stamped(at now: Instant) -> VideoFrame {
        guard timestamp > now + .seconds(1) || timestamp < now - .seconds(10) else { return self }
        return refreshed(at: now)
    }

    fileprivate func refreshed(at now: Instant) -> VideoFrame {
        VideoFrame(buffer: buffer, rotation: rotation, timestamp: now)
    }
}
