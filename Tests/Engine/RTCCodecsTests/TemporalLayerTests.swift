import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire
import Testing

@Suite("Temporal layers of an encoder")
struct TemporalLayerTests {
    /// Encodes test pictures in layers.
    private static func frames(
        _ name: String, _ mode: ScalabilityMode, count: Int = 90, kilobits: Int64 = 250, keyFrames: Set<Int> = []
    ) throws -> [(source: VideoFrame, encoded: EncodedVideoFrame)] {
        let encoder = try Codecs.encoder(name, kilobits: kilobits)
        try encoder.configure(VideoEncoderSettings(targetBitrate: .kilobits(kilobits), scalabilityMode: mode))
        var stream = EncodedStream(width: 320, height: 180, encoder: encoder)
        var frames: [(VideoFrame, EncodedVideoFrame)] = []
        for number in 0..<count {
            let (source, encoded) = try stream.next(keyFrame: keyFrames.contains(number))
            if let encoded { frames.append((source, encoded)) }
        }
        return frames
    }

    private static func isSame(_ left: VideoFrame, _ right: VideoFrame) throws -> Bool {
        try signalToNoise(left, right) >= 100
    }

    @Test(
        "Any frames of the higher layers may be missing: the others are decoded exactly as with them",
        arguments: ["VP8", "VP9"], [ScalabilityMode.l1t2, .l1t3])
    func dropped(name: String, mode: ScalabilityMode) throws {
        let frames = try Self.frames(name, mode, keyFrames: [50])
        #expect(frames.count > 70)
        let whole = try Codecs.decoder(name)
        // Without all higher layers, without the highest, and without some of the highest.
        let parts = try (0..<3).map { _ in try Codecs.decoder(name) }
        var decoded = [0, 0, 0]
        for (index, (source, encoded)) in frames.enumerated() {
            let layer = try #require(encoded.temporalLayer)
            let complete = try #require(try whole.decode(encoded, timestamp: source.timestamp))
            let isKept = [layer.index == 0, !layer.isDiscardable, !layer.isDiscardable || index % 3 == 0]
            for part in 0..<3 where isKept[part] {
                let same = try #require(try parts[part].decode(encoded, timestamp: source.timestamp))
                #expect(try Self.isSame(complete, same), "frame \(index) of layer \(layer.index)")
                decoded[part] += 1
            }
        }
        #expect(decoded[0] >= frames.count / mode.temporalLayerCount - 30 && decoded[0] < decoded[2])
    }

    @Test("The pattern begins anew at a key frame, and keeps its order", arguments: ["VP8", "VP9"])
    func pattern(name: String) throws {
        for mode in ScalabilityMode.allCases {
            var position = 0
            for (_, encoded) in try Self.frames(name, mode, count: 40, keyFrames: [13]) {
                if encoded.isKeyFrame { position = 0 }
                #expect(encoded.temporalLayer == mode.layer(at: position))
                position += 1
            }
        }
    }

    @Test("The bitrate is kept, and the quality is hardly less than with one layer", arguments: ["VP8", "VP9"])
    func costs(name: String) throws {
        func measure(_ mode: ScalabilityMode) throws -> (kilobits: Double, quality: Double) {
            let decoder = try Codecs.decoder(name)
            var (bytes, quality, count) = (0, 0.0, 0)
            for (index, (source, encoded)) in try Self.frames(name, mode, count: 150).enumerated() {
                let decoded = try #require(try decoder.decode(encoded, timestamp: .zero))
                guard index >= 30 else { continue }
                bytes += encoded.data.count
                count += 1
                quality += try signalToNoise(source, decoded)
            }
            return (Double(bytes * 8) / 4 / 1_000, quality / Double(max(count, 1)))
        }
        let plain = try measure(.l1t1)
        let layered = try measure(.l1t2)
        let three = try measure(.l1t3)
        #expect(layered.kilobits > 150 && layered.kilobits < 325, "\(layered.kilobits) kbit/s")
        #expect(layered.quality > plain.quality - 1.5, "\(layered.quality) dB after \(plain.quality)")
        #expect(three.quality > plain.quality - 3, "\(three.quality) dB after \(plain.quality)")
    }

    @Test("A change of the layers makes a key frame; H.264 has one layer whatever is asked for")
    func changes() throws {
        for name in ["VP8", "VP9"] {
            let encoder = try Codecs.encoder(name)
            var stream = EncodedStream(width: 320, height: 240, encoder: encoder)
            for _ in 0..<3 { _ = try stream.next() }
            try encoder.configure(VideoEncoderSettings(targetBitrate: .megabits(1), scalabilityMode: .l1t2))
            let first = try #require(try stream.next().encoded)
            #expect(first.isKeyFrame && first.temporalLayer == .base)
            // Other settings cause none.
            try encoder.configure(VideoEncoderSettings(targetBitrate: .kilobits(600), scalabilityMode: .l1t2))
            #expect(try stream.next().encoded?.isKeyFrame != true)
        }
        let encoder = try Codecs.encoder("H264")
        try encoder.configure(VideoEncoderSettings(targetBitrate: .megabits(1), scalabilityMode: .l1t3))
        var stream = EncodedStream(width: 320, height: 240, encoder: encoder)
        for _ in 0..<5 { #expect(try stream.next().encoded?.temporalLayer == nil) }
    }
}
