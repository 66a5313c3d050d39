import RTCMedia
import RTCWire
import Testing

@testable import RTCCodecs

@Suite("H.264 with start codes and with lengths")
struct H264UnitsTests {
    @Test("Units are found behind start codes of three bytes and of four")
    func splits() {
        let data: [UInt8] = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x68, 3, 0, 0, 0, 0, 1, 0x65, 0, 0, 3, 1, 9, 0, 0]
        let units = H264Units.split(data).map { Array(data[$0]) }
        #expect(units == [[0x67, 1, 2], [0x68, 3], [0x65, 0, 0, 3, 1, 9]])
        #expect(H264Units.split([]).isEmpty)
        #expect(H264Units.split([0, 0, 1]).isEmpty)
        #expect(H264Units.split([1, 2, 3]).isEmpty)
    }

    @Test("What was put behind lengths comes back behind start codes")
    func roundTrip() throws {
        let frame: [UInt8] = [0, 0, 0, 1, 9, 0xF0, 0, 0, 0, 1, 0x67, 1, 2, 0, 0, 0, 1, 0x68, 3, 0, 0, 0, 1, 0x65, 7, 8]
        let parts = H264Units.Separated(frame)
        #expect(parts.sequenceParameters == [0x67, 1, 2])
        #expect(parts.pictureParameters == [0x68, 3])
        #expect(parts.pictures == [0, 0, 0, 3, 0x65, 7, 8])
        let sets = [parts.sequenceParameters, parts.pictureParameters].compactMap { $0 }
        let back = try #require(H264Units.withStartCodes(parts.pictures, parameterSets: sets))
        #expect(back.isKeyFrame)
        #expect(back.data == Array(frame.dropFirst(6)))
        let between = try #require(H264Units.withStartCodes([0, 0, 0, 2, 0x41, 5], parameterSets: sets))
        #expect(!between.isKeyFrame && between.data == [0, 0, 0, 1, 0x41, 5])
    }

    @Test("Lengths that lie are refused")
    func lies() {
        for data in [[0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 9, 1], [0xFF, 0xFF, 0xFF, 0xFF, 1]] as [[UInt8]] {
            #expect(H264Units.withStartCodes(data, parameterSets: []) == nil)
        }
    }

    @Test("Every frame of an encoder passes through both shapes unchanged")
    func realFrames() throws {
        let decoder = try Codecs.decoder("H264")
        var stream = EncodedStream(width: 320, height: 240, encoder: try Codecs.encoder("H264"))
        for _ in 0..<20 {
            guard var encoded = try stream.next().encoded else { continue }
            let parts = H264Units.Separated(encoded.data)
            let sets = [parts.sequenceParameters, parts.pictureParameters].compactMap { $0 }
            #expect(sets.count == (encoded.isKeyFrame ? 2 : 0))
            let back = try #require(H264Units.withStartCodes(parts.pictures, parameterSets: sets))
            #expect(back.isKeyFrame == encoded.isKeyFrame)
            encoded.data = back.data
            #expect(try decoder.decode(encoded, timestamp: .zero) != nil)
        }
    }

    @Test("The length of an Opus packet is read as RFC 6716 defines it")
    func opusPackets() {
        func samples(_ bytes: [UInt8]) -> Int? { bytes.withUnsafeBytes { OpusPacket($0)?.samples } }
        #expect(samples([]) == nil)
        #expect(samples([0x00]) == 480)
        #expect(samples([0x19]) == 5_760)  // two of 60 ms
        #expect(samples([0x80]) == 120)
        #expect(samples([0xF8]) == 960)
        #expect(samples([0x68 | 2]) == 1_920)  // two of 20 ms, hybrid
        #expect(samples([0xFB]) == nil)
        #expect(samples([0xFB, 3]) == 2_880)
        #expect(samples([0xFB, 0]) == nil)
        #expect(samples([0xFB, 7]) == nil)  // 140 ms
    }

    @Test("The size that a frame of VP8 or VP9 states is read before it is decoded", arguments: ["VP8", "VP9"])
    func frameSizes(name: String) throws {
        for (width, height) in [(64, 48), (642, 482), (1_280, 720)] {
            var stream = EncodedStream(width: width, height: height, encoder: try Codecs.encoder(name))
            let key = try #require(try stream.next().encoded).data
            let size = key.withUnsafeBytes { name == "VP8" ? VPXFrameSize.vp8($0) : VPXFrameSize.vp9($0) }
            #expect(size?.width == width && size?.height == height)
            guard let other = try stream.next().encoded?.data else { continue }
            #expect(other.withUnsafeBytes { name == "VP8" ? VPXFrameSize.vp8($0) : VPXFrameSize.vp9($0) } == nil)
        }
    }
}
