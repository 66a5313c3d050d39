internal import RTCMedia
internal import RTCWire

/// The statistics of a video sender, as far as the encoder provides them.
struct VideoSendStatistics: Sendable {
    var sourceFrames = 0
    var sourceWidth = 0
    var sourceHeight = 0
    var sourceFramesPerSecond = 0.0
    var isActive = true
    var framesEncoded = 0
    var keyFramesEncoded = 0
    var framesPerSecond = 0.0
    var frameWidth = 0
    var frameHeight = 0
    var totalEncodeTime = TimeDelta.zero
    var totalEncodedBytes = 0
    /// Frames dropped because the encoder was busy.
    var framesDroppedBusy = 0
    /// Frames dropped because earlier ones still waited for the network.
    var framesDroppedQueue = 0
    var encoderFailures = 0
    var encoderImplementation: String?
    var scalabilityMode: ScalabilityMode?
    var target: Bitrate?
    var limitation = QualityLimitationReason.none
    var limitationDurations: [QualityLimitationReason: TimeDelta] = [:]
    var resolutionChanges = 0

    private var lastNote: Instant?
    /// The smoothed fraction of frames for which the encoder was too busy, 0 to 1.
    private var busyFraction = 0.0

    mutating func noteBusy() {
        framesDroppedBusy += 1
        busyFraction += (1 - busyFraction) * 0.05
    }

    mutating func note(_ outcome: VideoEncoding.Outcome, time: TimeDelta, at now: Instant) {
        totalEncodeTime = totalEncodeTime + time
        encoderImplementation = outcome.implementation
        scalabilityMode = outcome.scalabilityMode
        target = outcome.target
        busyFraction -= busyFraction * 0.05
        if let lastNote {
            limitationDurations[limitation] = (limitationDurations[limitation] ?? .zero) + (now - lastNote)
        }
        lastNote = now
        let isSlow = busyFraction > 0.2 || outcome.isLimitedByProcessor
        limitation = isSlow ? .cpu : outcome.isLimitedByBandwidth ? .bandwidth : .none
        guard let frame = outcome.frame else { return }
        framesEncoded += 1
        totalEncodedBytes += frame.data.count
        if frameWidth > 0, frameWidth != outcome.size.width || frameHeight != outcome.size.height {
            resolutionChanges += 1
        }
        (frameWidth, frameHeight) = outcome.size
    }
}
