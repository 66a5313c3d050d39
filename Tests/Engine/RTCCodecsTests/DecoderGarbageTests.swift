import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire
import Testing

@Suite("What a hostile sender may feed a decoder")
struct DecoderGarbageTests {
    private func format(_ name: String) throws -> PayloadFormat { try #require(PayloadFormat(encodingName: name)) }

    @Test("Random bytes are an error or nothing, never a crash", arguments: Codecs.video)
    func randomBytes(name: String) throws {
        let random = SeededRandom(seed: 11)
        let decoder = try Codecs.decoder(name)
        for _ in 0..<3_000 {
            let data = random.bytes(Int(random.next(below: 300)))
            let frame = EncodedVideoFrame(
                format: try format(name), data: data, isKeyFrame: random.next(below: 4) == 0,
                timestamp: RTPTimestamp(0))
            _ = try? decoder.decode(frame, timestamp: .zero)
        }
    }

    @Test("Damaged frames do no harm, and a key frame mends everything", arguments: Codecs.video)
    func damagedFrames(name: String) throws {
        let random = SeededRandom(seed: 12)
        let decoder = try Codecs.decoder(name)
        var stream = EncodedStream(width: 160, height: 120, encoder: try Codecs.encoder(name, kilobits: 200))
        var frames: [EncodedVideoFrame] = []
        for number in 0..<40 {
            if let frame = try stream.next(keyFrame: number % 10 == 0).encoded { frames.append(frame) }
        }
        for round in 0..<2_000 {
            var frame = frames[Int(random.next(below: UInt64(frames.count)))]
            for _ in 0...random.next(below: 6) {
                let place = Int(random.next(below: UInt64(frame.data.count)))
                // What a header says is worth most of the damage.
                let near = random.next(below: 2) == 0 ? place : min(place, 12)
                frame.data[near] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.next(below: 5) == 0 { frame.data.removeLast(Int(random.next(below: UInt64(frame.data.count)))) }
            if random.next(below: 9) == 0 { frame.data += frames[0].data }
            _ = try? decoder.decode(frame, timestamp: .zero)
            if round % 100 == 99 {
                let good = try #require(frames.first { $0.isKeyFrame })
                // The first one may tell of the damage that is left.
                _ = try? decoder.decode(good, timestamp: .zero)
                let decoded = try #require(try decoder.decode(good, timestamp: .zero))
                #expect(TestPattern.read(from: decoded.buffer) != nil)
            }
        }
    }

    @Test("A stream that begins in the middle shows nothing until a key frame comes", arguments: Codecs.video)
    func beginsInTheMiddle(name: String) throws {
        let decoder = try Codecs.decoder(name)
        var stream = EncodedStream(width: 320, height: 240, encoder: try Codecs.encoder(name))
        _ = try stream.next()
        for _ in 0..<5 {
            guard let frame = try stream.next().encoded else { continue }
            #expect((try? decoder.decode(frame, timestamp: .zero)) == nil)
        }
        let key = try #require(try stream.next(keyFrame: true).encoded)
        #expect(try decoder.decode(key, timestamp: .zero) != nil)
    }

    @Test("A picture larger than the limit is refused before anything is allocated for it", arguments: ["VP8", "VP9"])
    func refusesLarge(name: String) throws {
        let decoder = try CodecCatalog.system.makeVideoDecoder(
            for: Codecs.named(name), limits: VideoDecoderLimits(maxDimension: 640, maxPixels: 640 * 400))
        for (width, height, isAllowed) in [(640, 400, true), (642, 200, false), (640, 402, false)] {
            let frame = VideoFrame(buffer: I420Buffer(width: width, height: height), timestamp: .zero)
            let encoded = try #require(
                try Codecs.encoder(name).encode(frame, timestamp: RTPTimestamp(1), keyFrame: false))
            #expect(((try? decoder.decode(encoded, timestamp: .zero)) != nil) == isAllowed)
        }
        // A key frame of VP8 that claims 16,383 by 16,383 pixels in ten bytes.
        let claim: [UInt8] = [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0xFF, 0x3F, 0xFF, 0x3F]
        let frame = EncodedVideoFrame(format: .vp8, data: claim, isKeyFrame: true, timestamp: RTPTimestamp(0))
        #expect(throws: CodecError.self) { try Codecs.decoder("VP8").decode(frame, timestamp: .zero) }
    }

    @Test("Random and damaged packets of sound are refused or decoded, never a crash")
    func audioGarbage() throws {
        let random = SeededRandom(seed: 13)
        let output = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 5_760 * 2)
        defer { output.deallocate() }
        for name in ["opus", "PCMU", "PCMA"] {
            let decoder = try CodecCatalog.system.makeAudioDecoder(for: Codecs.named(name))
            for _ in 0..<5_000 {
                let data = random.bytes(Int(random.next(below: 200)))
                data.withUnsafeBytes { bytes in
                    let payload = RawSpan(_unsafeBytes: bytes)
                    let duration = decoder.duration(of: payload)
                    if let duration { #expect(duration > 0 && duration <= 5_760) }
                    switch random.next(below: 4) {
                    case 0:
                        _ = decoder.recoverPacket(
                            before: payload, samples: Int(random.next(below: 9_000)), into: output)
                    case 1: _ = decoder.conceal(samples: Int(random.next(below: 9_000)), into: output)
                    default:
                        if let decoded = decoder.decode(payload, into: output) { #expect(decoded <= 5_760) }
                    }
                    _ = decoder.carriesPreviousPacket(payload)
                }
            }
        }
    }
}
