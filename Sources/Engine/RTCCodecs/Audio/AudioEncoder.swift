public import RTCMedia
public import RTCWire

/// Turns sound into packets of a codec, one after another. Used from one thread at a time, which need not be the one that
/// made it. Its counterpart is `AudioDecoder` of RTCMedia.
public protocol AudioEncoder: AnyObject {
    var format: PayloadFormat { get }
    /// In hertz: what ``encode(_:timestamp:)`` takes, which may differ from the RTP clock rate.
    var sampleRate: Int { get }
    /// 1 or 2
    var channels: Int { get }
    /// How many samples of each channel ``encode(_:timestamp:)`` takes at once.
    var samplesPerPacket: Int { get }
    var settings: AudioEncoderSettings { get }

    /// Goes on with other settings from the next packet on.
    ///
    /// - Throws: ``CodecError`` `invalidSettings`; the old settings hold then.
    func configure(_ settings: AudioEncoderSettings) throws(CodecError)

    /// Encodes the next packet.
    ///
    /// - Parameters:
    ///   - samples: Exactly ``samplesPerPacket`` times ``channels``, those of the channels taking turns.
    ///   - timestamp: Of the codec's RTP clock, of the first sample.
    /// - Returns: `nil` for silence that need not be sent (discontinuous transmission). The timestamp goes on counting.
    func encode(
        _ samples: UnsafeBufferPointer<Int16>, timestamp: RTPTimestamp
    ) throws(CodecError) -> EncodedAudioFrame?
}

/// What an audio encoder may be told while it runs. G.711 has nothing to choose, and ignores it all.
public struct AudioEncoderSettings: Sendable, Hashable {
    /// 6 to 510 kbit/s for Opus; brought into that range silently.
    public var targetBitrate: Bitrate
    /// The share of packets that get lost, 0 to 1: how much Opus spends on sending the packet before once more.
    public var expectedPacketLoss: Double
    /// Whether a packet may carry the one before it once more, in lower quality (RFC 7587, `useinbandfec`).
    public var forwardErrorCorrection: Bool
    /// Whether silence is left out (RFC 7587, `usedtx`).
    public var discontinuousTransmission: Bool
    /// How much work Opus puts into a packet, 0 to 10.
    public var complexity: Int

    public init(
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
