import CDuetOpus
import RTCMedia
import RTCWire

/// Opus by libopus, at 48 kHz in two channels, its native format: a mono stream is the same in both, and a stream
/// may change its channels without effect on the output.
final class OpusDecoder: AudioDecoder {
    let sampleRate = 48_000
    let channels = 2
    private let library: UnsafePointer<COpusLibrary>
    private let decoder: OpaquePointer

    /// 120 ms, the longest packet, and 2.5 ms, the shortest frame, in samples.
    private static let longest = 5_760
    private static let shortest = 120

    init(library: UnsafePointer<COpusLibrary>) throws(CodecError) {
        self.library = library
        var error: Int32 = 0
        guard let decoder = copus_decoder_create(library, 48_000, 2, &error), error == 0 else {
            throw CodecError(.failed, "libopus opened no decoder (error \(error))")
        }
        self.decoder = decoder
    }

    deinit { copus_decoder_destroy(library, decoder) }

    func duration(of payload: RawSpan) -> Int? {
        payload.withUnsafeBytes { OpusPacket($0)?.samples }
    }

    func decode(_ payload: RawSpan, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        guard duration(of: payload) != nil else { return nil }
        return decode(payload, samples: min(output.count / 2, Self.longest), recovers: false, into: output)
    }

    /// Reads the LBRR flags of SILK, one per channel, which follow the voice activity flags (RFC 6716, section
    /// 4.2.4). CELT has no such redundancy.
    func carriesPreviousPacket(_ payload: RawSpan) -> Bool {
        guard let size = Int32(exactly: payload.byteCount), size > 1 else { return false }
        return payload.withUnsafeBytes { bytes in
            let configuration = bytes[0] >> 3
            guard configuration < 16 else { return false }
            var offset: Int32 = 0
            var frameSize: Int32 = 0
            guard
                copus_first_frame(
                    library, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size, &offset, &frameSize)
                    != 0,
                frameSize > 0, Int(offset) < bytes.count
            else { return false }
            // SILK frames are 20 ms at most: 40 and 60 ms contain two and three.
            let silkFrames = configuration >= 12 ? 1 : max(1, configuration & 3)
            let flags = bytes[Int(offset)]
            let middle = flags >> (7 - silkFrames) & 1
            guard bytes[0] & 4 != 0 else { return middle != 0 }
            return middle != 0 || flags >> (6 - 2 * silkFrames) & 1 != 0
        }
    }

    func recoverPacket(before next: RawSpan, samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        guard carriesPreviousPacket(next), let count = wholeFrames(samples, output) else { return nil }
        return decode(next, samples: count, recovers: true, into: output)
    }

    func conceal(samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        guard let count = wholeFrames(samples, output) else { return nil }
        let decoded = copus_decode(library, decoder, nil, 0, output.baseAddress, Int32(count), 0)
        return decoded > 0 ? Int(decoded) : nil
    }

    func reset() { _ = copus_decoder_reset(library, decoder) }

    private func decode(
        _ payload: RawSpan, samples: Int, recovers: Bool, into output: UnsafeMutableBufferPointer<Int16>
    ) -> Int? {
        guard let size = Int32(exactly: payload.byteCount) else { return nil }
        let decoded = payload.withUnsafeBytes {
            copus_decode(
                library, decoder, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), size, output.baseAddress,
                Int32(samples), recovers ? 1 : 0)
        }
        return decoded > 0 ? Int(decoded) : nil
    }

    /// Rounds to whole frames of 2.5 ms, the unit of libopus's concealment.
    private func wholeFrames(_ samples: Int, _ output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        let count = min(samples, output.count / 2, Self.longest) / Self.shortest * Self.shortest
        return count > 0 ? count : nil
    }
}
