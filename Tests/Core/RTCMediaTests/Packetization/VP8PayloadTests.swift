import RTCMedia
import RTCWire
import Testing

@Suite("VP8 payloads")
struct VP8PayloadTests {
    // The examples are those of RFC 7741, section 4.6.

    @Test("A key frame in one packet, with a picture id of 7 bits")
    func keyFrame() throws {
        let payload: [UInt8] = [0x90, 0x80, 0x11] + TestPattern.vp8(isKey: true, size: 20)
        let descriptor = try #require(videoDescriptor(payload, .vp8))
        #expect(descriptor.beginsFrame)
        #expect(descriptor.isKeyFrame)
        #expect(descriptor.pictureID == 17)
        #expect(descriptor.pictureIDBits == 7)
        #expect(descriptor.bytes == 3..<23)
        #expect(descriptor.width == 640)
        #expect(descriptor.height == 360)
    }

    @Test("An interframe in one packet, without a picture id")
    func plainInterframe() throws {
        let descriptor = try #require(videoDescriptor([0x10, 0x01, 0x02], .vp8))
        #expect(descriptor.beginsFrame)
        #expect(!descriptor.isKeyFrame)
        #expect(!descriptor.isDiscardable)
        #expect(descriptor.pictureID == nil)
        #expect(descriptor.bytes == 1..<3)
    }

    @Test("A frame's second partition does not begin a frame")
    func laterPartition() throws {
        let descriptor = try #require(videoDescriptor([0x91, 0x80, 0x11, 0x00], .vp8))
        #expect(!descriptor.beginsFrame)
        #expect(!descriptor.isKeyFrame)
        #expect(descriptor.pictureID == 17)
    }

    @Test("A picture id of 15 bits")
    func longPictureID() throws {
        let descriptor = try #require(videoDescriptor([0x90, 0x80, 0x92, 0x67, 0x01], .vp8))
        #expect(descriptor.pictureID == 4_711)
        #expect(descriptor.pictureIDBits == 15)
        #expect(descriptor.bytes == 4..<5)
    }

    @Test("Temporal layers: TL0PICIDX, TID, Y and KEYIDX, together and alone")
    func layers() throws {
        let all = try #require(videoDescriptor([0xB0, 0xF0, 0x80, 0x05, 0x2A, 0b1011_0011, 0x01], .vp8))
        #expect(all.baseLayerIndex == 42)
        #expect(all.temporalLayer == 2)
        #expect(all.isLayerSwitch)
        #expect(all.isDiscardable)
        #expect(all.bytes == 6..<7)
        // KEYIDX alone says nothing of layers.
        let keyIndex = try #require(videoDescriptor([0x90, 0x10, 0xFF, 0x01], .vp8))
        #expect(keyIndex.temporalLayer == nil)
        #expect(!keyIndex.isLayerSwitch)
        #expect(keyIndex.bytes == 3..<4)
    }

    @Test("What we write: the same picture id of 15 bits in each packet, S in the first, and the id wraps")
    func written() throws {
        var packetizer = try #require(VideoPacketizer(format: .vp8, firstPictureID: 0x7FFF))
        let frame = EncodedVideoFrame(
            format: .vp8, data: TestPattern.vp8(isKey: true, size: 2_500), isKeyFrame: true, timestamp: RTPTimestamp(0))
        let payloads = packetizer.payloads(of: frame, maximumPayloadSize: 1_000)
        #expect(payloads.map(\.count) == [837, 837, 838])
        #expect(
            payloads.map { Array($0[..<4]) } == [
                [0x90, 0x80, 0xFF, 0xFF], [0x80, 0x80, 0xFF, 0xFF], [0x80, 0x80, 0xFF, 0xFF],
            ])
        let next = packetizer.payloads(of: frame, maximumPayloadSize: 1_000)
        #expect(next.allSatisfy { $0[2] == 0x80 && $0[3] == 0x00 })
    }

    @Test("What we write with temporal layers: TL0PICIDX, TID, Y and KEYIDX, and N where nothing refers to the frame")
    func writtenLayers() throws {
        var packetizer = try #require(VideoPacketizer(format: .vp8, firstPictureID: 0x0100))
        let heads = (0..<5).map { position in
            let frame = EncodedVideoFrame(
                format: .vp8, data: TestPattern.vp8(isKey: position == 0, size: 100), isKeyFrame: position == 0,
                timestamp: RTPTimestamp(0), temporalLayer: ScalabilityMode.l1t3.layer(at: position))
            return Array(packetizer.payloads(of: frame, maximumPayloadSize: 1_000)[0][..<6])
        }
        #expect(
            heads == [
                [0x90, 0xF0, 0x81, 0x00, 1, 0b0000_0001], [0xB0, 0xF0, 0x81, 0x01, 1, 0b1010_0001],
                [0x90, 0xF0, 0x81, 0x02, 1, 0b0110_0001], [0xB0, 0xF0, 0x81, 0x03, 1, 0b1000_0001],
                [0x90, 0xF0, 0x81, 0x04, 2, 0b0000_0001],
            ])
        // Each packet of a frame has the whole descriptor.
        let large = EncodedVideoFrame(
            format: .vp8, data: TestPattern.vp8(isKey: true, size: 2_500), isKeyFrame: true, timestamp: RTPTimestamp(0),
            temporalLayer: .base)
        let payloads = packetizer.payloads(of: large, maximumPayloadSize: 1_000)
        #expect(payloads.map(\.count) == [839, 839, 840])
        #expect(payloads.map { Array($0[1..<6]) } == Array(repeating: [0xF0, 0x81, 0x05, 3, 0b0000_0010], count: 3))
        #expect(depacketized(payloads, .vp8) == large.data)
        let descriptor = try #require(videoDescriptor(payloads[1], .vp8))
        #expect(descriptor.baseLayerIndex == 3 && descriptor.temporalLayer == 0 && descriptor.pictureID == 0x0105)
    }

    @Test("A descriptor that ends early, and one without a frame behind it, is no payload")
    func truncated() {
        let full: [UInt8] = [0x90, 0xF0, 0x80, 0x05, 0x2A, 0xE0, 0x01]
        for count in 0..<full.count { #expect(videoDescriptor(Array(full[..<count]), .vp8) == nil) }
        #expect(videoDescriptor(full, .vp8) != nil)
    }
}
