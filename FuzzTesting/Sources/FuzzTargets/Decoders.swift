import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire

/// Frames of a few bytes each, the first of which begin a stream, with which every run's damage begins.
private let realFrames: [PayloadFormat: [EncodedVideoFrame]] = {
    var frames: [PayloadFormat: [EncodedVideoFrame]] = [:]
    for codec in CodecCatalog.system.codecs(of: .video) {
        guard let format = codec.format, frames[format] == nil,
            let encoder = try? CodecCatalog.system.makeVideoEncoder(
                for: codec, settings: VideoEncoderSettings(targetBitrate: .kilobits(100)))
        else { continue }
        var picture = TestPattern(width: 64, height: 64)
        for number in 0..<4 {
            guard let frame = picture.nextFrame(at: .zero),
                let encoded = try? encoder.encode(
                    frame, timestamp: RTPTimestamp(UInt32(number) * 3_000), keyFrame: number == 3)
            else { continue }
            frames[format, default: []].append(encoded)
        }
    }
    return frames
}()

/// Frames for a decoder of one codec: such as no encoder made, and such as one made, with damage.
func fuzzDecoder(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let codecs = CodecCatalog.system.codecs.map(\.codec)
    let codec = codecs[input.number(below: codecs.count)]
    guard let format = codec.format else { return }
    if codec.kind == .audio { return fuzzAudioDecoder(&input, codec) }
    let limits = VideoDecoderLimits(maxDimension: 1_024, maxPixels: 640 * 480)
    guard let decoder = try? CodecCatalog.system.makeVideoDecoder(for: codec, limits: limits) else { return }
    for _ in 0..<20 where !input.isEmpty {
        let choice = input.byte()
        var frame = EncodedVideoFrame(
            format: format, data: [], isKeyFrame: choice & 1 == 1, timestamp: RTPTimestamp(0))
        if choice & 2 == 0 {
            frame.data = input.chunk()
        } else if let real = realFrames[format], !real.isEmpty {
            frame = real[Int(choice >> 2) % real.count]
            frame.data = input.mutate(frame.data)
        }
        guard let decoded = try? decoder.decode(frame, timestamp: .zero) else { continue }
        precondition(decoded.width * decoded.height <= 640 * 480, "a picture is larger than the limit")
    }
}

private func fuzzAudioDecoder(_ input: inout FuzzInput, _ codec: RTPCodec) {
    guard let decoder = try? CodecCatalog.system.makeAudioDecoder(for: codec) else { return }
    var output = [Int16](repeating: 0, count: 5_760 * decoder.channels)
    for _ in 0..<50 where !input.isEmpty {
        let choice = input.byte()
        let payload = input.chunk(limit: 400)
        let samples = output.withUnsafeMutableBufferPointer { output in
            payload.withUnsafeBytes { bytes in
                let payload = RawSpan(_unsafeBytes: bytes)
                _ = decoder.duration(of: payload)
                return switch choice & 3 {
                case 0: decoder.recoverPacket(before: payload, samples: Int(choice) * 30, into: output)
                case 1: decoder.conceal(samples: Int(choice) * 30, into: output)
                default: decoder.decode(payload, into: output)
                }
            }
        }
        precondition((samples ?? 0) <= 5_760, "there is more sound than there is room")
    }
}
