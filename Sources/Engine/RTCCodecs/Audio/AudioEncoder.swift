package import RTCMedia
package import RTCWire

/// Encodes audio into packets of a codec. Used from one thread at a time. Its counterpart is `AudioDecoder` of
/// RTCMedia.
package protocol AudioEncoder: AnyObject {
    var format: PayloadFormat { get }
    /// The sample rate of ``encode(_:timestamp:)`` in hertz, which may differ from the RTP clock rate.
    var sampleRate: Int { get }
    /// The number of channels, 1 or 2.
    var channels: Int { get }
    /// The number of samples per channel that ``encode(_:timestamp:)`` takes.
    var samplesPerPacket: Int { get }
    var settings: AudioEncoderSettings { get }

    /// Changes the settings from the next packet on.
    ///
    /// - Throws: ``CodecError`` `invalidSettings`; the previous settings remain.
    func configure(_ settings: AudioEncoderSettings) throws(CodecError)

    /// Encodes the next packet.
    ///
    /// - Parameters:
    ///   - samples: Exactly ``samplesPerPacket`` times ``channels`` interleaved samples.
    ///   - timestamp: The RTP timestamp of the first sample.
    /// - Returns: `nil` for silence that need not be sent (discontinuous transmission). The timestamp advances
    ///   nevertheless.
    func encode(
        _ samples: UnsafeBufferPointer<Int16>, timestamp: RTPTimestamp
    ) throws(CodecError) -> EncodedAudioFrame?
}

/// The settings of an audio encoder that may change while it runs. G.711 ignores them.
package struct AudioEncoderSettings: Sendable, Hashable {
    /// The target bitrate. Clamped to 6 … 510 kbit/s for Opus.
    package var targetBitrate: Bitrate
    /// The expected packet loss, 0 to 1, which determines how much Opus spends on forward error correction.
    package var expectedPacketLoss: Double
    /// Whether a packet may contain the previous one again, in lower quality (RFC 7587, `useinbandfec`).
    package var forwardErrorCorrection: Bool
    /// Whether silence is not transmitted (RFC 7587, `usedtx`).
    package var discontinuousTransmission: Bool
    /// The computational complexity of Opus, 0 to 10.
    package var complexity: Int

    package init(
        targetBitrate: Bitrate = .kilobits(32), expectedPacketLoss: Double = 0, forwardErrorCorrection: Bool = true,
        discontinuousTransmission: Bool = false, complexity: Int = 9
    ) {
        self.targetBitrate = targetBitrate
        self.expectedPacketLoss = expectedPacketLoss
        self.forwardErrorCorrection = forwardErrorCorrection
        self.discontinuousTransmission = discontinuousTransmission
        self.complexity = complexity
    }
}
