import RTCFrames
import RTCMedia
import RTCWire

/// Encodes PCMU and PCMA (RFC 3551, section 4.5.14): 8 kHz, one channel, one byte per sample.
final class G711Encoder: AudioEncoder {
    let format: PayloadFormat
    let sampleRate = 8_000
    let channels = 1
    let samplesPerPacket: Int
    private(set) var settings: AudioEncoderSettings
    private let law: G711Law

    init(format: PayloadFormat, settings: AudioEncoderSettings, packetTime: Int) {
        self.format = format
        self.settings = settings
        law = format == .pcma ? .a : .mu
        samplesPerPacket = packetTime * 8
    }

    func configure(_ settings: AudioEncoderSettings) throws(CodecError) {
        self.settings = settings
    }

    func encode(
        _ samples: UnsafeBufferPointer<Int16>, timestamp: RTPTimestamp
    ) throws(CodecError) -> EncodedAudioFrame? {
        guard samples.count == samplesPerPacket else {
            throw CodecError(
                .invalidInput, "G.711 was given \(samples.count) samples for a packet of \(samplesPerPacket)")
        }
        let data = [UInt8](unsafeUninitializedCapacity: samples.count) { buffer, count in
            for index in 0..<samples.count { buffer[index] = law.encode(samples[index]) }
            count = samples.count
        }
        let level = AudioLevel(of: samples)
        return EncodedAudioFrame(
            format: format, data: data, timestamp: timestamp, duration: UInt32(samplesPerPacket),
            hasVoice: level.mayBeVoice, level: level.rawValue)
    }
}

/// Decodes PCMU and PCMA (RFC 3551, section 4.5.14): 8 kHz, one channel, one byte per sample.
final class G711Decoder: AudioDecoder {
    let sampleRate = 8_000
    let channels = 1
    private let law: G711Law

    init(format: PayloadFormat) {
        law = format == .pcma ? .a : .mu
    }

    /// Rejects packets of more than 120 ms, which no sender makes.
    func duration(of payload: RawSpan) -> Int? {
        (1...960).contains(payload.byteCount) ? payload.byteCount : nil
    }

    func decode(_ payload: RawSpan, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        guard duration(of: payload) != nil, payload.byteCount <= output.count else { return nil }
        payload.withUnsafeBytes { bytes in
            for index in 0..<bytes.count { output[index] = law.decode(bytes[index]) }
        }
        return payload.byteCount
    }

    func carriesPreviousPacket(_ payload: RawSpan) -> Bool { false }

    func recoverPacket(before next: RawSpan, samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        nil
    }

    /// G.711 has no concealment.
    func conceal(samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? { nil }

    func reset() {}
}
