import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire
import Testing

@Suite("Pictures through a codec and back")
struct VideoRoundTripTests {
    @Test("Look like what went in", arguments: Codecs.video)
    func looksAlike(name: String) throws {
        let decoder = try Codecs.decoder(name)
        var stream = EncodedStream(width: 640, height: 480, encoder: try Codecs.encoder(name))
        var worst = 100.0
        for _ in 0..<45 {
            let (source, encoded) = try stream.next()
            guard let encoded else { continue }
            #expect(encoded.format.rawValue == name.lowercased())
            #expect(encoded.width == 640 && encoded.height == 480)
            let decoded = try #require(try decoder.decode(encoded, timestamp: source.timestamp))
            #expect(decoded.timestamp == source.timestamp)
            if stream.sent > 15 { worst = min(worst, try signalToNoise(source, decoded)) }
        }
        #expect(worst > 30, "\(worst) dB")
    }

    @Test("Can be read at 300 kbit/s, whole and at half the size", arguments: Codecs.video, [1.0, 2.0])
    func readable(name: String, scale: Double) throws {
        let decoder = try Codecs.decoder(name)
        var stream = EncodedStream(
            width: 640, height: 360, encoder: try Codecs.encoder(name, kilobits: 300, scale: scale))
        var decodedFrames = 0
        for number in 0..<90 {
            guard let encoded = try stream.next().encoded else { continue }
            let decoded = try #require(try decoder.decode(encoded, timestamp: .zero))
            #expect(decoded.width == Int(640 / scale) && decoded.height == Int(360 / scale))
            #expect(TestPattern.read(from: decoded.buffer)?.number == UInt32(number))
            decodedFrames += 1
        }
        #expect(decodedFrames > 60)
    }

    @Test("The first frame is a key frame, later ones only when asked for", arguments: Codecs.video)
    func keyFramesOnDemand(name: String) throws {
        let decoder = try Codecs.decoder(name)
        var stream = EncodedStream(width: 320, height: 240, encoder: try Codecs.encoder(name, kilobits: 500))
        var keyFrames: [Int] = []
        for number in 0..<200 {
            let (_, encoded) = try stream.next(keyFrame: number == 60 || number == 61)
            guard let encoded else { continue }
            if encoded.isKeyFrame { keyFrames.append(number) }
            // Whoever joins with the second key frame sees the same as everybody.
            if number >= 60 { #expect(try decoder.decode(encoded, timestamp: .zero) != nil) }
        }
        #expect(keyFrames == [0, 60, 61])
    }

    @Test("Follow a change of size in the middle", arguments: Codecs.video)
    func changesSize(name: String) throws {
        let decoder = try Codecs.decoder(name)
        let encoder = try Codecs.encoder(name)
        var ticks: UInt32 = 0
        for (width, height) in [(320, 240), (640, 480), (176, 144), (1_280, 720), (321, 241), (65, 49)] {
            var picture = TestPattern(width: width, height: height)
            var count = 0
            for _ in 0..<5 {
                let frame = try picture.drawn(at: .zero)
                ticks += 3_000
                guard let encoded = try encoder.encode(frame, timestamp: RTPTimestamp(ticks), keyFrame: false) else {
                    continue
                }
                if count == 0 { #expect(encoded.isKeyFrame) }
                let decoded = try #require(try decoder.decode(encoded, timestamp: .zero))
                #expect(decoded.width == width & ~1 && decoded.height == height & ~1)
                count += 1
            }
            #expect(count > 0)
        }
    }

    @Test("Carry their rotation along", arguments: Codecs.video)
    func carriesRotation(name: String) throws {
        let encoder = try Codecs.encoder(name)
        let buffer = I420Buffer(width: 64, height: 64)
        let frame = VideoFrame(buffer: buffer, rotation: .clockwise270, timestamp: .zero)
        let encoded = try #require(try encoder.encode(frame, timestamp: RTPTimestamp(1), keyFrame: false))
        let decoded = try #require(try Codecs.decoder(name).decode(encoded, timestamp: .zero + .seconds(3)))
        #expect(decoded.rotation == .clockwise270)
        #expect(decoded.timestamp == .zero + .seconds(3))
    }

    @Test("NV12 is taken as it is", arguments: Codecs.video)
    func takesNV12(name: String) throws {
        let pool = I420BufferPool()
        var picture = TestPattern(width: 320, height: 240)
        let source = try #require(try picture.drawn(at: .zero).buffer.i420(from: pool))
        let buffer = source.withPlanes { planes in
            NV12Buffer(width: 320, height: 240) { $0.convert(from: planes) }
        }
        let frame = VideoFrame(buffer: buffer, timestamp: .zero)
        let encoded = try #require(
            try Codecs.encoder(name).encode(frame, timestamp: RTPTimestamp(1), keyFrame: false))
        let decoded = try #require(try Codecs.decoder(name).decode(encoded, timestamp: .zero))
        #expect(TestPattern.read(from: decoded.buffer)?.number == 0)
    }

    @Test("With packetization mode 0, every NAL unit of H.264 fits into a packet")
    func smallUnits() throws {
        let encoder = try CodecCatalog.system.makeVideoEncoder(
            for: Codecs.named("H264", packetizationMode: 0),
            settings: VideoEncoderSettings(targetBitrate: .megabits(2)))
        let decoder = try Codecs.decoder("H264")
        var stream = EncodedStream(width: 640, height: 480, encoder: encoder)
        for number in 0..<30 {
            guard let encoded = try stream.next().encoded else { continue }
            let longest = annexBUnits(encoded.data).map(\.count).max() ?? 0
            #expect(longest > 0 && longest <= 1_180)
            let decoded = try #require(try decoder.decode(encoded, timestamp: .zero))
            #expect(TestPattern.read(from: decoded.buffer)?.number == UInt32(number))
        }
    }

    @Test("H.264 is made no larger than the level allows")
    func boundedByLevel() throws {
        var codec = try Codecs.named("H264")
        codec.formatParameters = "profile-level-id=42e014;packetization-mode=1"  // level 2: 396 macroblocks
        let encoder = try CodecCatalog.system.makeVideoEncoder(
            for: codec, settings: VideoEncoderSettings(targetBitrate: .kilobits(500)))
        let frame = VideoFrame(buffer: I420Buffer(width: 1_280, height: 720), timestamp: .zero)
        let encoded = try #require(try encoder.encode(frame, timestamp: RTPTimestamp(1), keyFrame: false))
        #expect(((encoded.width + 15) / 16) * ((encoded.height + 15) / 16) <= 396)
        #expect(encoded.width > 400 && encoded.height > 200)
        #expect(annexBUnits(encoded.data).first?.first.map { $0 & 31 } == 7)
    }

    private func annexBUnits(_ data: [UInt8]) -> [ArraySlice<UInt8>] {
        var starts: [(code: Int, unit: Int)] = []
        var index = 0
        while index + 3 <= data.count {
            if data[index] == 0, data[index + 1] == 0, data[index + 2] == 1 {
                starts.append((index, index + 3))
                index += 3
            } else {
                index += 1
            }
        }
        return starts.indices.map { number in
            data[starts[number].unit..<(number + 1 < starts.count ? starts[number + 1].code : data.count)]
        }
    }
}
