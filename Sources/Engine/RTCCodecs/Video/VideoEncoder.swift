package import RTCFrames
package import RTCMedia
package import RTCWire

/// Encodes frames with a codec. Used from one thread at a time.
package protocol VideoEncoder: AnyObject {
    var format: PayloadFormat { get }
    /// The name of the implementation for statistics (`encoderImplementation`), such as `libvpx`.
    var implementation: String { get }
    var settings: VideoEncoderSettings { get }

    /// Changes the settings from the next frame on, without a key frame unless the size or the layers change.
    ///
    /// - Throws: ``CodecError`` `invalidSettings`; the previous settings remain.
    func configure(_ settings: VideoEncoderSettings) throws(CodecError)

    /// Encodes the next frame. A change of the size or of the layers causes a key frame.
    ///
    /// - Parameters:
    ///   - timestamp: The RTP timestamp at 90 kHz, later than the previous one.
    ///   - keyFrame: Whether to make a key frame. The first frame is always one; the encoder makes no others by itself.
    /// - Returns: `nil` if the encoder dropped the frame to keep within its bitrate.
    /// - Throws: ``CodecError``. The encoder may be used further; its next frame is a key frame.
    func encode(
        _ frame: VideoFrame, timestamp: RTPTimestamp, keyFrame: Bool
    ) throws(CodecError) -> EncodedVideoFrame?
}

/// The settings of a video encoder that may change while it runs.
package struct VideoEncoderSettings: Sendable, Hashable {
    /// The average bitrate over about a second. Raised to at least 10 kbit/s.
    package var targetBitrate: Bitrate
    /// The expected frame rate, by which the encoder divides the bitrate, 1 to 240 frames per second.
    package var maxFramerate: Double
    /// The factor by which width and height are reduced before encoding, 1 or more (W3C `scaleResolutionDownBy`).
    package var scaleResolutionDownBy: Double
    /// The temporal layers. A change causes a key frame. Encoders for H.264 make one layer, whatever the mode.
    package var scalabilityMode: ScalabilityMode

    package init(
        targetBitrate: Bitrate, maxFramerate: Double = 30, scaleResolutionDownBy: Double = 1,
        scalabilityMode: ScalabilityMode = .l1t1
    ) {
        self.targetBitrate = targetBitrate
        self.maxFramerate = maxFramerate
        self.scaleResolutionDownBy = scaleResolutionDownBy
        self.scalabilityMode = scalabilityMode
    }

    /// Returns the size in which a frame of `width` by `height` is encoded: even numbers, at least 2 by 2.
    package func encodedSize(width: Int, height: Int) -> (width: Int, height: Int) {
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
