import CDuetOpus
import RTCFrames
import RTCMedia
import RTCWire

/// Opus by libopus, at 48 kHz.
final class OpusEncoder: AudioEncoder {
    let format = PayloadFormat.opus
    let sampleRate = 48_000
    let channels: Int
    let samplesPerPacket: Int
    private(set) var settings: AudioEncoderSettings
    private let library: UnsafePointer<COpusLibrary>
    private let encoder: OpaquePointer
    private let parameters: OpusParameters
    private var isSilent = false

    /// The longest packet that opus_encode produces (RFC 6716, section 3.4).
    private static let longestPacket = 1_275 * 6

    init(
        library: UnsafePointer<COpusLibrary>, settings: AudioEncoderSettings, parameters: OpusParameters,
        packetTime: Int
    ) throws(CodecError) {
        self.library = library
        self.settings = settings
        self.parameters = parameters
        channels = parameters.isStereo ? 2 : 1
        samplesPerPacket = packetTime * 48
        var error: Int32 = 0
        let application = channels == 2 ? COPUS_APPLICATION_AUDIO : COPUS_APPLICATION_VOIP
        guard let encoder = copus_encoder_create(library, 48_000, Int32(channels), application, &error), error == 0
        else { throw CodecError(.failed, "libopus opened no encoder (error \(error))") }
        self.encoder = encoder
        try apply(settings)
    }

    deinit { copus_encoder_destroy(library, encoder) }

    func configure(_ settings: AudioEncoderSettings) throws(CodecError) {
        try apply(settings)
        self.settings = settings
    }

    func encode(
        _ samples: UnsafeBufferPointer<Int16>, timestamp: RTPTimestamp
    ) throws(CodecError) -> EncodedAudioFrame? {
        guard samples.count == samplesPerPacket * channels else {
            throw CodecError(
                .invalidInput,
                "Opus was given \(samples.count) samples for a packet of \(samplesPerPacket * channels)")
        }
        var size: Int32 = 0
        let data = [UInt8](unsafeUninitializedCapacity: Self.longestPacket) { buffer, count in
            size = copus_encode(
                library, encoder, samples.baseAddress, Int32(samplesPerPacket), buffer.baseAddress,
                Int32(buffer.count))
            count = max(0, Int(size))
        }
        guard size > 0 else { throw CodecError(.failed, "libopus failed in encoding (error \(size))") }
        // Packets of up to two bytes only continue a silence. The first of them signals it to the decoder.
        let goesOnSilent = isSilent && size <= 2
        isSilent = size <= 2
        if goesOnSilent { return nil }
        let level = AudioLevel(of: samples)
        return EncodedAudioFrame(
            format: format, data: Array(data), timestamp: timestamp, duration: UInt32(samplesPerPacket),
            hasVoice: !isSilent && level.mayBeVoice, level: level.rawValue)
    }

    private func apply(_ settings: AudioEncoderSettings) throws(CodecError) {
        guard (0...10).contains(settings.complexity) else {
            throw CodecError(.invalidSettings, "the complexity of Opus is 0 to 10, not \(settings.complexity)")
        }
        guard settings.expectedPacketLoss >= 0, settings.expectedPacketLoss <= 1 else {
            throw CodecError(
                .invalidSettings, "a share of lost packets is 0 to 1, not \(settings.expectedPacketLoss)")
        }
        let bitrate = min(settings.targetBitrate.bitsPerSecond, Int64(parameters.maxAverageBitrate ?? 510_000))
        let requests: [(Int32, Int32)] = [
            (COPUS_SET_BITRATE, Int32(min(510_000, max(6_000, bitrate)))),
            (COPUS_SET_COMPLEXITY, Int32(settings.complexity)),
            (COPUS_SET_INBAND_FEC, settings.forwardErrorCorrection && parameters.usesInbandFEC ? 1 : 0),
            (COPUS_SET_PACKET_LOSS_PERCENTAGE, Int32((settings.expectedPacketLoss * 100).rounded())),
            (COPUS_SET_DTX, settings.discontinuousTransmission || parameters.usesDTX ? 1 : 0),
            (COPUS_SET_VBR, parameters.isConstantBitrate ? 0 : 1),
            (COPUS_SET_MAX_BANDWIDTH, maxBandwidth),
        ]
        for (request, value) in requests {
            let error = copus_encoder_set(library, encoder, request, value)
            guard error == COPUS_OK else {
                throw CodecError(.invalidSettings, "libopus did not take \(value) for request \(request)")
            }
        }
    }

    private var maxBandwidth: Int32 {
        switch parameters.maxPlaybackRate {
        case ...8_000: COPUS_BANDWIDTH_NARROWBAND
        case ...12_000: COPUS_BANDWIDTH_MEDIUMBAND
        case ...16_000: COPUS_BANDWIDTH_WIDEBAND
        case ...24_000: COPUS_BANDWIDTH_SUPERWIDEBAND
        default: COPUS_BANDWIDTH_FULLBAND
        }
    }
}
