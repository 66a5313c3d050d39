internal import RTCCodecs
internal import RTCFrames
internal import RTCMedia
internal import RTCWire

/// The encoder of an audio sender, and the audio that does not fill a packet yet. Used by one thread at a time.
struct AudioEncoding {
    struct Packet: Sendable {
        var frame: EncodedAudioFrame
        var captureTime: Instant
        var target: Bitrate
    }

    /// The duration of a packet in milliseconds.
    static let packetTime = 20
    /// The gap in the audio from which it counts as a pause.
    static let pause = TimeDelta.milliseconds(100)

    private var encoder: (any AudioEncoder)?
    private var codec: RTPCodec?
    private var framer: AudioFramer?
    /// The end of the last audio.
    private var end: Instant?
    /// The end of the last packet.
    private var packetEnd: Instant?
    /// The timestamp of the next packet, in ticks of the codec's RTP clock.
    private var timestamp: UInt32 = 0

    mutating func encode(
        _ frame: AudioFrame, codec: RTPCodec, parameters: RTPSendParameters, expectedLoss: Double,
        target: Bitrate? = nil
    ) throws(CodecError) -> [Packet] {
        let encoder = try encoder(for: codec, parameters: parameters, expectedLoss: expectedLoss, target: target)
        // After a pause, drops the remaining audio from before.
        if let end, frame.timestamp - end > Self.pause { framer = nil }
        end = frame.timestamp + frame.duration
        var framer =
            framer
            ?? AudioFramer(
                sampleRate: encoder.sampleRate, channels: encoder.channels, samplesPerFrame: encoder.samplesPerPacket)
        self.framer = nil
        defer { self.framer = framer }
        framer.append(frame)
        var packets: [Packet] = []
        while let next = framer.next({ (encode($0, of: $1, by: encoder, clockRate: codec.clockRate), $1) }) {
            guard let encoded = try next.0.get() else { continue }
            packets.append(
                Packet(frame: encoded, captureTime: next.1, target: encoder.settings.targetBitrate))
        }
        return packets
    }

    private mutating func encode(
        _ samples: UnsafeBufferPointer<Int16>, of time: Instant, by encoder: any AudioEncoder, clockRate: UInt32
    ) -> Result<EncodedAudioFrame?, CodecError> {
        // Timestamps count samples; only after a pause they follow the clock.
        if let packetEnd, time - packetEnd > Self.pause {
            let missing = (time - packetEnd).microseconds * Int64(clockRate) / 1_000_000
            timestamp &+= UInt32(truncatingIfNeeded: missing)
        }
        packetEnd = time + .milliseconds(Int64(Self.packetTime))
        defer { timestamp &+= clockRate / 1_000 * UInt32(Self.packetTime) }
        return Result { () throws(CodecError) in
            try encoder.encode(samples, timestamp: RTPTimestamp(timestamp))
        }
    }

    private mutating func encoder(
        for codec: RTPCodec, parameters: RTPSendParameters, expectedLoss: Double, target: Bitrate?
    ) throws(CodecError) -> any AudioEncoder {
        var settings = encoder?.settings ?? AudioEncoderSettings()
        settings.discontinuousTransmission = parameters.discontinuousTransmission
        // Small changes are ignored, except for those between no loss and half a per cent.
        if abs(settings.expectedPacketLoss - expectedLoss) > 0.01
            || (settings.expectedPacketLoss < Self.noticeableLoss) != (expectedLoss < Self.noticeableLoss)
        {
            settings.expectedPacketLoss = expectedLoss
        }
        if let encoder, self.codec == codec {
            settings.targetBitrate = Self.bitrate(parameters, channels: encoder.channels, target: target)
            if encoder.settings != settings { try encoder.configure(settings) }
            return encoder
        }
        encoder = nil
        framer = nil
        settings.targetBitrate = Self.bitrate(parameters, channels: 1, target: target)
        let new = try CodecCatalog.system.makeAudioEncoder(
            for: codec, settings: settings, packetTime: Self.packetTime)
        encoder = new
        self.codec = codec
        return new
    }

    /// The requested bitrate, limited by the target, but not below the minimum.
    static func bitrate(_ parameters: RTPSendParameters, channels: Int, target: Bitrate?) -> Bitrate {
        let wish = parameters.maxBitrate ?? .kilobits(32 * Int64(channels))
        guard let target else { return wish }
        return min(wish, max(target, parameters.minBitrate ?? Self.least))
    }

    /// Encoders take the loss in whole per cent; from this ratio on it rounds to one, and packets contain in-band FEC.
    private static let noticeableLoss = 0.005
    /// The default minimum.
    private static let least: Bitrate = .kilobits(6)
}
