public import RTCFrames
public import RTCMedia
public import RTCWire

/// Turns pictures into frames of a codec, one after another. Used from one thread at a time, which need not be the one
/// that made it.
public protocol VideoEncoder: AnyObject {
    var format: PayloadFormat { get }
    /// The name that statistics give it (`encoderImplementation`), such as `libvpx`.
    var implementation: String { get }
    var settings: VideoEncoderSettings { get }

    /// Goes on with other settings, from the next picture on, without a key frame unless the size changes.
    ///
    /// - Throws: ``CodecError`` `invalidSettings`; the old settings hold then.
    func configure(_ settings: VideoEncoderSettings) throws(CodecError)

    /// Encodes the next picture. Its size may differ from the one before; a key frame begins the new size.
    ///
    /// - Parameters:
    ///   - timestamp: Of the RTP clock of 90 kHz; later than the one before.
    ///   - keyFrame: Whether decoding shall be able to begin with it. The first frame is a key frame in any case, and
    ///     the encoder makes no others by itself.
    /// - Returns: `nil` when the encoder left the picture out to keep within its bitrate.
    /// - Throws: ``CodecError``; the encoder may be used further, and its next frame is a key frame.
    func encode(
        _ frame: VideoFrame, timestamp: RTPTimestamp, keyFrame: Bool
    ) throws(CodecError) -> EncodedVideoFrame?
}

/// What an encoder may be told while it runs.
public struct VideoEncoderSettings: Sendable, Hashable {
    /// What the frames together shall come to, on average over a second or so. At least 10 kbit/s; raised silently to it.
    public var targetBitrate: Bitrate
    /// How many pictures a second will come: what the encoder divides the bitrate by. 1 to 240.
    public var maxFramerate: Double
    /// By how much width and height are made smaller before encoding, 1 or more (W3C `scaleResolutionDownBy`).
    public var scaleResolutionDownBy: Double

    public init(targetBitrate: Bitrate, maxFramerate: Double = 30, scaleResolutionDownBy: Double = 1) {
        self.targetBitrate = targetBitrate
        self.maxFramerate = maxFramerate
        self.scaleResolutionDownBy = scaleResolutionDownBy
    }

    /// The size that a picture of `width` by `height` is encoded in: even numbers, at least 2 by 2, as all codecs here
    /// take them.
    public func encodedSize(width: Int, height: Int) -> (width: Int, height: Int) {
        let scale = max(1, scaleResolutionDownBy)
        return (max(2, Int(Double(width) / scale) & ~1), max(2, Int(Double(height) / scale) & ~1))
    }

    func check() throws(CodecError) {
        guard maxFramerate >= 1, maxFramerate <= 240 else {
            throw CodecError(.invalidSettings, "a video encoder takes 1 to 240 frames a second, not \(maxFramerate)")
        }
        guard scaleResolutionDownBy >= 1, scaleResolutionDownBy <= 1_024 else {
            throw CodecError(.invalidSettings, "scaleResolutionDownBy is 1 to 1024, not \(scaleResolutionDownBy)")
        }
    }
}
