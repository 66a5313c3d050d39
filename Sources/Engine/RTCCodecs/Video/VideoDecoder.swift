public import RTCFrames
public import RTCMedia
public import RTCWire

/// Turns frames of a codec into pictures, one after another. Used from one thread at a time, which need not be the one
/// that made it.
public protocol VideoDecoder: AnyObject {
    var format: PayloadFormat { get }
    /// The name that statistics give it (`decoderImplementation`), such as `libvpx`.
    var implementation: String { get }

    /// Decodes the next frame.
    ///
    /// - Parameter timestamp: What the picture is stamped with: when it is to be shown.
    /// - Returns: `nil` when the frame shows no picture of its own.
    /// - Throws: ``CodecError`` `corruptData`, whatever the network brought. The decoder may be used further; what it
    ///   makes is of use from the next key frame on.
    func decode(_ frame: EncodedVideoFrame, timestamp: Instant) throws(CodecError) -> VideoFrame?
}

/// What a decoder refuses, so that a stream of a few bytes cannot take the machine's memory.
public struct VideoDecoderLimits: Sendable, Hashable {
    /// The longer side, in pixels.
    public var maxDimension: Int
    /// Width times height.
    public var maxPixels: Int

    public init(maxDimension: Int = 4_096, maxPixels: Int = 4_096 * 2_304) {
        self.maxDimension = min(maxDimension, I420Buffer.dimensionLimit)
        self.maxPixels = maxPixels
    }

    func allow(width: Int, height: Int) -> Bool {
        I420Buffer.isValid(width: width, height: height) && max(width, height) <= maxDimension
            && width * height <= maxPixels
    }
}
