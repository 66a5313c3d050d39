internal import Dispatch
internal import Logging
internal import RTCCodecs
internal import RTCFrames
internal import RTCMedia
internal import RTCWire
internal import Synchronization

/// Decodes assembled frames on a thread of its own, and delivers them to the track when they are due.
final class VideoReceivePipeline: Sendable {
    /// The most frames waiting for the decoder. Beyond that it is too slow, and restarts with a key frame.
    static let waitingLimit = 16
    /// The most bytes of these frames.
    static let waitingBytesLimit = 4 << 20
    /// The least time between changes of the format, each of which needs a new decoder.
    static let shortestUseOfFormat = TimeDelta.milliseconds(250)

    fileprivate struct State {
        var codecs: [RTPCodec] = []
        var isReceiving = false
        /// Frames completed before this time do not unmute the track.
        var mutedSince = Instant(nanoseconds: .min)
        var waiting = RingBuffer<AssembledVideoFrame>()
        var waitingBytes = 0
        /// The format of the newest frame, and the time of its first use.
        var format: (name: PayloadFormat, since: Instant)?
        var needsKeyFrame = false
        /// Whether the queue is working, or about to.
        var isRunning = false
        var isClosed = false
        var statistics = VideoReceiveStatistics()
        var outputRate = FrameRateMeter()
    }

    fileprivate struct Decoding {
        var decoder: (any VideoDecoder)?
    }

    private struct Job {
        var picture: AssembledVideoFrame
        var codec: RTPCodec
    }

    private let queue = DispatchQueue(label: "duet.rtc.video-decoder", qos: .userInitiated)
    private let state = Mutex(State())
    /// Used on the queue only; the lock never blocks.
    private let decoding = Mutex(Decoding())
    private let presenter: FramePresenter
    private let track: VideoTrack
    private let log: Logger
    private let didDecode: @Sendable (TimeDelta) -> Void
    private let requestKeyFrame: @Sendable () -> Void

    /// - Parameters:
    ///   - didDecode: Called with the decoding time of each frame.
    ///   - requestKeyFrame: Called when received frames cannot be decoded.
    init(
        track: VideoTrack, log: Logger, didDecode: @escaping @Sendable (TimeDelta) -> Void,
        requestKeyFrame: @escaping @Sendable () -> Void
    ) {
        self.track = track
        self.log = log
        self.didDecode = didDecode
        self.requestKeyFrame = requestKeyFrame
        let core = track.core
        presenter = FramePresenter { core.deliver($0) }
    }

    // MARK: Calls from the event loop

    func setCodecs(_ codecs: [RTPCodec]) {
        state.withLock { $0.codecs = codecs }
    }

    /// Sets whether the remote description says that the peer sends. If it does not, the track is muted; the next frame
    /// unmutes it.
    func setReceiving(_ isReceiving: Bool) {
        state.withLock { $0.isReceiving = isReceiving }
        guard !isReceiving else { return }
        presenter.removeAll()
        mute()
    }

    /// Mutes the track, because nothing arrives any more. Under the lock, like unmuting, so that a frame in decoding
    /// cannot unmute it afterwards.
    func mute() {
        state.withLock { state in
            state.mutedSince = MediaClock.now
            track.core.setMuted(true)
        }
    }

    func receive(_ picture: AssembledVideoFrame) {
        let now = MediaClock.now
        let (mustStart, isLost) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            let isLost = !state.take(picture, at: now)
            guard !state.isRunning, !state.waiting.isEmpty else { return (false, isLost) }
            state.isRunning = true
            return (true, isLost)
        }
        if isLost { requestKeyFrame() }
        guard mustStart else { return }
        queue.async { [self] in
            while let job = nextJob() { decode(job) }
        }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.dropWaiting()
        }
        presenter.close()
        queue.async { [self] in decoding.withLock { $0 = Decoding() } }
    }

    var statistics: VideoReceiveStatistics {
        let counts = presenter.counts
        let now = MediaClock.now
        return state.withLock { state in
            var statistics = state.statistics
            statistics.framesPerSecond = state.outputRate.framesPerSecond(at: now)
            statistics.framesDropped += counts.dropped
            statistics.framesPresented = counts.presented
            return statistics
        }
    }

    // MARK: Decoding

    private func nextJob() -> Job? {
        state.withLock { state in
            while !state.isClosed, let picture = state.waiting.popFirst() {
                state.waitingBytes -= picture.frame.data.count
                if let codec = state.codecs.first(where: { $0.format == picture.frame.format }) {
                    return Job(picture: picture, codec: codec)
                }
                // Its codec is not negotiated any more.
                state.statistics.framesDropped += 1
            }
            state.isRunning = false
            return nil
        }
    }

    private func decode(_ job: Job) {
        let begin = MediaClock.now
        do throws(CodecError) {
            let (frame, implementation) = try decoding.withLock { decoding throws(CodecError) in
                let decoder = try decoding.decoder(for: job.codec)
                let frame = try decoder.decode(job.picture.frame, timestamp: job.picture.renderTime)
                return (frame, decoder.implementation)
            }
            let end = MediaClock.now
            let isReceiving = state.withLock { state in
                state.statistics.note(job.picture, decoded: frame, time: end - begin, at: end)
                state.statistics.decoderImplementation = implementation
                state.outputRate.note(end)
                let isReceiving = state.isReceiving && !state.isClosed
                if isReceiving, job.picture.completed > state.mutedSince { track.core.setMuted(false) }
                return isReceiving
            }
            didDecode(end - begin)
            if isReceiving, var frame {
                frame.rotation = job.picture.frame.rotation
                presenter.present(frame)
            }
        } catch {
            let isNews = state.withLock { state in
                state.needsKeyFrame = true
                state.statistics.framesDropped += 1
                defer { state.statistics.decoderFailures += 1 }
                return state.statistics.decoderFailures == 0
            }
            if isNews { log.notice("A picture in \(job.codec.name) could not be decoded: \(error)") }
            requestKeyFrame()
        }
    }
}

extension VideoReceivePipeline.State {
    /// Queues the frame for the decoder, if it is usable.
    ///
    /// - Returns: `false` when a key frame must be requested.
    fileprivate mutating func take(_ picture: AssembledVideoFrame, at now: Instant) -> Bool {
        statistics.framesReceived += 1
        if waiting.count >= VideoReceivePipeline.waitingLimit
            || waitingBytes + picture.frame.data.count > VideoReceivePipeline.waitingBytesLimit
        {
            dropWaiting()
            needsKeyFrame = true
            guard picture.frame.isKeyFrame else { return drop() }
        }
        if needsKeyFrame, !picture.frame.isKeyFrame {
            statistics.framesDropped += 1
            return true
        }
        guard format.map({ mayChangeFormat($0, picture.frame.format, at: now) }) ?? true else { return drop() }
        if format?.name != picture.frame.format { format = (picture.frame.format, now) }
        needsKeyFrame = false
        waitingBytes += picture.frame.data.count
        waiting.append(picture)
        return true
    }

    private func mayChangeFormat(
        _ format: (name: PayloadFormat, since: Instant), _ next: PayloadFormat, at now: Instant
    ) -> Bool {
        format.name == next || now - format.since >= VideoReceivePipeline.shortestUseOfFormat
    }

    private mutating func drop() -> Bool {
        statistics.framesDropped += 1
        needsKeyFrame = true
        return false
    }

    fileprivate mutating func dropWaiting() {
        statistics.framesDropped += waiting.count
        while waiting.popFirst() != nil {}
        waitingBytes = 0
    }
}

extension VideoReceivePipeline.Decoding {
    fileprivate mutating func decoder(for codec: RTPCodec) throws(CodecError) -> any VideoDecoder {
        if let decoder, decoder.format == codec.format { return decoder }
        decoder = nil
        let new = try CodecCatalog.system.makeVideoDecoder(for: codec)
        decoder = new
        return new
    }
}

/// The statistics of a video receiver, as far as the decoder provides them.
struct VideoReceiveStatistics: Sendable {
    var framesReceived = 0
    var framesDecoded = 0
    var keyFramesDecoded = 0
    /// Frames dropped before decoding, or because they were too late to be shown.
    var framesDropped = 0
    var framesPresented = 0
    var framesPerSecond = 0.0
    var frameWidth = 0
    var frameHeight = 0
    var totalDecodeTime = TimeDelta.zero
    /// The total time from the first packet of a frame to its decoding.
    var totalProcessingDelay = TimeDelta.zero
    var totalInterFrameDelay = 0.0
    var totalSquaredInterFrameDelay = 0.0
    var decoderFailures = 0
    var decoderImplementation: String?
    private var lastDecoded: Instant?

    mutating func note(_ picture: AssembledVideoFrame, decoded frame: VideoFrame?, time: TimeDelta, at now: Instant) {
        framesDecoded += 1
        if picture.frame.isKeyFrame { keyFramesDecoded += 1 }
        totalDecodeTime = totalDecodeTime + time
        totalProcessingDelay = totalProcessingDelay + (now - picture.firstPacketArrival)
        if let lastDecoded {
            let gap = (now - lastDecoded).seconds
            totalInterFrameDelay += gap
            totalSquaredInterFrameDelay += gap * gap
        }
        lastDecoded = now
        guard let frame else { return }
        frameWidth = frame.width
        frameHeight = frame.height
    }
}
