internal import RTCCodecs
internal import RTCFrames
internal import RTCMedia
internal import RTCWire

/// The encoder of a video sender, and its settings for each frame. Used by one thread at a time.
struct VideoEncoding {
    /// The result of encoding a frame.
    struct Outcome: Sendable {
        /// `nil` when the encoder dropped the frame to keep within its bitrate.
        var frame: EncodedVideoFrame?
        var implementation: String
        /// `nil` for a codec without layers.
        var scalabilityMode: ScalabilityMode?
        var target: Bitrate
        /// Whether the network limits the quality.
        var isLimitedByBandwidth: Bool
        /// Whether the processor limits the size or the frame rate.
        var isLimitedByProcessor: Bool
        /// The frame rate to encode from now on, in frames a second; `nil` for all frames of the source.
        var framerateLimit: Double?
        /// The size of the encoded frame, if there is one.
        var size: (width: Int, height: Int)
    }

    private var encoder: (any VideoEncoder)?
    private var codec: RTPCodec?
    private var adaptation = VideoAdaptation()
    /// Corrects the encoder's deviation from its target bitrate.
    private var control = EncoderRateControl()
    private var lastTimestamp: Int64?
    /// Whether the encoder was created for the last frame, whose time then does not count as load.
    private var isEncoderNew = false
    /// The frame rate of the source, limited by the parameters.
    private var framerate = 30.0

    /// Encodes a frame.
    ///
    /// - Parameters:
    ///   - dropped: The frames dropped before it because too much waited for the network.
    ///   - queue: The time that what waits for the network takes to leave; the encoder makes less meanwhile.
    mutating func encode(
        _ frame: VideoFrame, codec: RTPCodec, parameters: RTPSendParameters, contentHint: VideoContentHint? = nil,
        target: Bitrate, dropped: Int = 0, queue: TimeDelta = .zero, framesPerSecond: Double, keyFrame: Bool,
        at now: Instant
    ) throws(CodecError) -> Outcome {
        noteFramerate(framesPerSecond, limit: parameters.maxFramerate)
        let width = Double(frame.width) / parameters.scaleResolutionDownBy
        let height = Double(frame.height) / parameters.scaleResolutionDownBy
        let most = parameters.maxBitrate ?? Self.highestUsefulBitrate(pixels: width * height, framerate: framerate)
        let bitrate = max(min(target, most), .kilobits(10))
        adaptation.update(
            width: Int(width), height: Int(height), framerate: framerate, bitrate: bitrate,
            preference: parameters.degradationPreference ?? contentHint?.degradationPreference ?? .balanced,
            isKeyFrame: keyFrame, at: now)
        let settings = VideoEncoderSettings(
            targetBitrate: max(control.rate(for: bitrate, queue: queue), .kilobits(10)),
            maxFramerate: encodedFramerate,
            scaleResolutionDownBy: min(parameters.scaleResolutionDownBy * adaptation.scale, 1_024),
            scalabilityMode: parameters.scalabilityMode ?? .l1t1)
        let encoder = try encoder(for: codec, settings: settings)
        let encoded = try encoder.encode(frame, timestamp: timestamp(frame.timestamp), keyFrame: keyFrame)
        adaptation.noteFrame(isEncoded: encoded != nil, dropped: dropped, at: now)
        control.note(
            size: encoded?.data.count ?? 0, isKeyFrame: encoded?.isKeyFrame ?? false, target: bitrate, queue: queue,
            at: now)
        return Outcome(
            frame: encoded, implementation: encoder.implementation,
            scalabilityMode: encoder.format == .h264 ? nil : settings.scalabilityMode, target: bitrate,
            isLimitedByBandwidth: adaptation.rateStep > 0 || target.bitsPerSecond < most.bitsPerSecond / 2,
            isLimitedByProcessor: adaptation.isLimitedByProcessor,
            framerateLimit: adaptation.rateDivisor > 1 ? encodedFramerate : nil,
            size: (encoded?.width ?? 0, encoded?.height ?? 0))
    }

    /// The frame rate of the step, which the encoder gets.
    private var encodedFramerate: Double { max(1, framerate / adaptation.rateDivisor) }

    /// Notes the encoding time of a frame, so that a slow processor gets smaller or fewer ones.
    mutating func noteTime(_ time: TimeDelta, at now: Instant) {
        guard !isEncoderNew else { return }
        adaptation.noteEncoding(time: time, interval: .nanoseconds(Int64(1e9 / encodedFramerate)), at: now)
    }

    private mutating func encoder(
        for codec: RTPCodec, settings: VideoEncoderSettings
    ) throws(CodecError) -> any VideoEncoder {
        isEncoderNew = false
        if let encoder, self.codec == codec {
            if encoder.settings != settings { try encoder.configure(settings) }
            return encoder
        }
        // Frees the old encoder first: two at once need twice the memory.
        encoder = nil
        isEncoderNew = true
        let new = try CodecCatalog.system.makeVideoEncoder(for: codec, settings: settings)
        encoder = new
        control = EncoderRateControl()
        self.codec = codec
        return new
    }

    /// The timestamp in 90 kHz ticks, strictly increasing.
    private mutating func timestamp(_ time: Instant) -> RTPTimestamp {
        // A tick is 100,000 / 9 nanoseconds.
        var ticks = time.nanoseconds / 100_000 * 9 + time.nanoseconds % 100_000 * 9 / 100_000
        if let lastTimestamp { ticks = max(ticks, lastTimestamp + 1) }
        lastTimestamp = ticks
        return RTPTimestamp(UInt32(truncatingIfNeeded: ticks))
    }

    /// Changes the encoder's frame rate only for a large difference, once a rate has been measured.
    private mutating func noteFramerate(_ measured: Double, limit: Double?) {
        let limit = limit ?? 240
        if framerate > limit { framerate = limit }
        guard measured >= 5 else { return }
        let wanted = min(max(measured, 5), limit)
        if abs(wanted - framerate) > framerate * 0.1 { framerate = wanted }
    }

    /// The bitrate above which a call's video does not improve.
    static func highestUsefulBitrate(pixels: Double, framerate: Double) -> Bitrate {
        let kilobits: Double =
            switch pixels {
            case ...76_800: 1_200
            case ...307_200: 4_000
            case ...518_400: 4_500
            case ...921_600: 5_000
            default: min(5_000 * pixels / 921_600, 12_000)
            }
        return .kilobits(Int64(kilobits * max(1, framerate / 30)))
    }
}
