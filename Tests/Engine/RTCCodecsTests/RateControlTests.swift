import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire
import Testing

@Suite("Rate control")
struct RateControlTests {
    /// Bits a second over the last two thirds of `seconds`.
    private func measure(_ stream: inout EncodedStream, seconds: Double) throws -> Double {
        let frames = Int(seconds * stream.framerate)
        var bytes = 0
        for number in 0..<frames {
            let size = try stream.next().encoded?.data.count ?? 0
            if number >= frames / 3 { bytes += size }
        }
        return Double(bytes * 8) / (seconds * 2 / 3)
    }

    @Test("Reaches its target, follows it down and up, and follows the frame rate", arguments: Codecs.video)
    func followsTarget(name: String) throws {
        let encoder = try Codecs.encoder(name, kilobits: 400)
        var stream = EncodedStream(width: 640, height: 360, encoder: encoder)
        for (kilobits, framerate) in [(400, 30.0), (150, 30), (600, 30), (300, 15)] as [(Int64, Double)] {
            try encoder.configure(
                VideoEncoderSettings(targetBitrate: .kilobits(kilobits), maxFramerate: framerate))
            stream.framerate = framerate
            let measured = try measure(&stream, seconds: 4) / 1_000
            #expect(
                measured > Double(kilobits) * 0.6 && measured < Double(kilobits) * 1.25,
                "\(measured) kbit/s instead of \(kilobits), at \(framerate) a second")
        }
    }

    @Test("Keeps to its target when fewer pictures come than were announced", arguments: Codecs.video)
    func slowSource(name: String) throws {
        var stream = EncodedStream(
            width: 640, height: 360, encoder: try Codecs.encoder(name, kilobits: 100, framerate: 30), framerate: 10)
        let measured = try measure(&stream, seconds: 9) / 1_000
        #expect(measured > 60 && measured < 125, "\(measured) kbit/s")
    }

    @Test("A change of bitrate makes no key frame; scaling does", arguments: Codecs.video)
    func keyFrames(name: String) throws {
        let encoder = try Codecs.encoder(name)
        var stream = EncodedStream(width: 320, height: 240, encoder: encoder)
        _ = try stream.next()
        for kilobits in [300, 800, 50, 2_000] as [Int64] {
            try encoder.configure(VideoEncoderSettings(targetBitrate: .kilobits(kilobits)))
            for _ in 0..<5 { #expect(try stream.next().encoded?.isKeyFrame != true) }
        }
        try encoder.configure(VideoEncoderSettings(targetBitrate: .kilobits(300), scaleResolutionDownBy: 2))
        let scaled = try #require(try stream.next().encoded)
        #expect(scaled.isKeyFrame && scaled.width == 160 && scaled.height == 120)
    }

    @Test("Settings out of range are refused, and the old ones hold", arguments: Codecs.video)
    func refusesSettings(name: String) throws {
        let encoder = try Codecs.encoder(name)
        for bad in [
            VideoEncoderSettings(targetBitrate: .kilobits(100), maxFramerate: 0),
            VideoEncoderSettings(targetBitrate: .kilobits(100), maxFramerate: .nan),
            VideoEncoderSettings(targetBitrate: .kilobits(100), scaleResolutionDownBy: 0.5),
            VideoEncoderSettings(targetBitrate: .kilobits(100), scaleResolutionDownBy: .infinity),
        ] {
            #expect(throws: CodecError.self) { try encoder.configure(bad) }
        }
        #expect(encoder.settings.targetBitrate == .kilobits(1_000))
        // A bitrate of nothing at all is raised to what a codec can do.
        try encoder.configure(VideoEncoderSettings(targetBitrate: Bitrate(bitsPerSecond: -5)))
        var stream = EncodedStream(width: 64, height: 64, encoder: encoder)
        #expect(try stream.next().encoded != nil)
    }
}
