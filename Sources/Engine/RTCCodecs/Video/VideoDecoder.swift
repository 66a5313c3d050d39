package import RTCFrames
package import RTCMedia
package import RTCWire

/// Decodes frames of a codec. Used from one thread at a time.
package protocol VideoDecoder: AnyObject {
    var format: PayloadFormat { get }
    /// The name of the implementation for statistics (`decoderImplementation`), such as `libvpx`.
    var implementation: String { get }

    /// Decodes the next frame.
    ///
    /// - Parameter timestamp: The time at which to show the frame.
    /// - Returns: `nil` if the frame shows no picture.
    /// - Throws: ``CodecError`` `corruptData`, for any invalid data of the network. The decoder recovers with the next
    ///   key frame.
    func decode(_ frame: EncodedVideoFrame, timestamp: Instant) throws(CodecError) -> VideoFrame?
}

/// The limits of a decoder, so that a small stream cannot exhaust the memory.
package struct VideoDecoderLimits: Sendable, Hashable {
    /// The maximum of width and height in pixels.
    package var maxDimension: Int
    /// The maximum of width times height in pixels.
    package var maxPixels: Int

    package init(maxDimension: Int = 4_096, maxPixels: Int = 4_096 * 2_304) {
        self.maxDimension = min(maxDimension, I420Buffer.dimensionLimit)
        self.maxPixels = maxPixels
    }

    func allow(width: Int, height: Int) -> Bool {
        I420Buffer.isValid(width: width, height: height) && max(width, height) <= maxDimension
            && width * height <= maxPixels
    }
}
