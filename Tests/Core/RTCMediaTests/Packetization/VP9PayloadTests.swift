import RTCWire
import Testing

@testable import RTCMedia

@Suite("VP9 payloads")
struct VP9PayloadTests {
    @Test("Flexible mode: a key frame with its scalability structure")
    func flexibleKeyFrame() throws {
        // I, F, B, E, V; picture id 4711; one layer of 1280 × 720
        let payload: [UInt8] = [0x9E, 0x92, 0x67, 0x10, 0x05, 0x00, 0x02, 0xD0, 0xAA]
        let descriptor = try #require(videoDescriptor(payload, .vp9))
        #expect(descriptor.isKeyFrame)
        #expect(descriptor.beginsFrame)
        #expect(descriptor.pictureID == 4_711)
        #expect(descriptor.width == 1_280)
        #expect(descriptor.height == 720)
        #expect(descriptor.bytes == 8..<9)
        #expect(descriptor.references?.count == 0)
    }

    @Test("Flexible mode: up to three references, and no fourth")
    func references() throws {
        let descriptor = try #require(videoDescriptor([0xD8, 0x05, 0x03, 0x05, 0x08, 0xAA], .vp9))
        let references = try #require(descriptor.references)
        #expect(references.count == 3)
        #expect((references.first, references.second, references.third) == (1, 2, 4))
        #expect(!descriptor.isKeyFrame)
        #expect(descriptor.pictureIDBits == 7)
        #expect(videoDescriptor([0xD8, 0x05, 0x03, 0x05, 0x09, 0x02, 0xAA], .vp9) == nil)
    }

    @Test("Non-flexible mode: layers, TL0PICIDX, and a structure with a group of pictures")
    func nonFlexible() throws {
        // I, L, B, V; TID 1, U, SID 0; TL0PICIDX 9; two layers with sizes, a group of two pictures
        var payload: [UInt8] = [0xAA, 0x05, 0b0011_0000, 0x09]
        payload += [0b0011_1000, 0x01, 0x40, 0x00, 0xB4, 0x02, 0x80, 0x01, 0x68]
        payload += [0x02, 0b0000_0100, 0x02, 0b0011_1000, 0x01, 0x02]
        payload += [0xAA]
        let descriptor = try #require(videoDescriptor(payload, .vp9))
        #expect(descriptor.temporalLayer == 1)
        #expect(descriptor.spatialLayer == 0)
        #expect(descriptor.isLayerSwitch)
        #expect(descriptor.baseLayerIndex == 9)
        #expect(descriptor.isKeyFrame)
        // The size of the highest layer is the picture's.
        #expect(descriptor.width == 640)
        #expect(descriptor.height == 360)
        #expect(descriptor.bytes == payload.count - 1..<payload.count)
        for count in 0..<payload.count { #expect(videoDescriptor(Array(payload[..<count]), .vp9) == nil) }
    }

    @Test("The group of a structure gives the references of each picture, by its layer")
    func pictureGroup() throws {
        // The pattern 0 2 1 2, whose last picture refers to two.
        var payload: [UInt8] = [0x8A, 0x05, 0b0000_1000, 4]
        payload += [0b0000_0100, 4, 0b0101_0100, 1, 0b0011_0100, 2, 0b0100_1000, 1, 3, 0xAA]
        let descriptor = try #require(videoDescriptor(payload, .vp9))
        let group = try #require(descriptor.pictureGroup)
        #expect(group.references(at: 0, temporalLayer: 0)?.first == 4)
        #expect(group.references(at: 1, temporalLayer: 2)?.first == 1)
        #expect(group.references(at: 2, temporalLayer: 1)?.first == 2)
        let last = try #require(group.references(at: 3, temporalLayer: 2))
        #expect(last.count == 2 && last.first == 1 && last.second == 3)
        #expect(group.references(at: 3, temporalLayer: 1) == nil && group.references(at: 4, temporalLayer: 0) == nil)
    }

    @Test("A group that is too long, or refers too far back, is read and not used", arguments: [0, 1, 2, 3])
    func unusableGroups(kind: Int) throws {
        let pictures: [UInt8] =
            switch kind {
            case 0: [9] + [UInt8](repeating: 0, count: 9)
            case 1: [1, 0b0000_0100, 9]
            case 2: [1, 0b0000_0100, 0]
            default: [0]
            }
        let payload: [UInt8] = [0x8A, 0x05, 0b0000_1000] + pictures + [0xAA]
        let descriptor = try #require(videoDescriptor(payload, .vp9))
        #expect(descriptor.pictureGroup == nil)
        #expect(descriptor.bytes == payload.count - 1..<payload.count)
    }

    @Test("What we write with temporal layers: TID, U, and the distance to each picture that is referred to")
    func writtenLayers() throws {
        var packetizer = try #require(VideoPacketizer(format: .vp9, firstPictureID: 0x7FFE))
        func head(_ position: Int, _ layer: TemporalLayer?, count: Int) -> [UInt8] {
            let frame = EncodedVideoFrame(
                format: .vp9, data: [UInt8](repeating: 0x86, count: 100), isKeyFrame: position == 0,
                timestamp: RTPTimestamp(0), temporalLayer: layer)
            return Array(packetizer.payloads(of: frame, maximumPayloadSize: 1_000)[0][..<count])
        }
        let mode = ScalabilityMode.l1t3
        #expect(head(0, mode.layer(at: 0), count: 5) == [0xBC, 0xFF, 0xFE, 0b0001_0000, 0x86])
        #expect(head(1, mode.layer(at: 1), count: 6) == [0xFC, 0xFF, 0xFF, 0b0101_0000, 1 << 1, 0x86])
        #expect(head(2, mode.layer(at: 2), count: 6) == [0xFC, 0x80, 0x00, 0b0011_0000, 2 << 1, 0x86])
        #expect(head(3, mode.layer(at: 3), count: 7) == [0xFC, 0x80, 0x01, 0b0101_0000, 1 << 1 | 1, 3 << 1, 0x86])
        #expect(head(4, mode.layer(at: 4), count: 6) == [0xFC, 0x80, 0x02, 0b0001_0000, 4 << 1, 0x86])
        // A frame of a higher layer that is left out changes no distance to others.
        #expect(head(6, mode.layer(at: 6), count: 6) == [0xFC, 0x80, 0x03, 0b0011_0000, 1 << 1, 0x86])
        #expect(head(8, mode.layer(at: 8), count: 6) == [0xFC, 0x80, 0x04, 0b0001_0000, 2 << 1, 0x86])
    }

    @Test("A higher spatial layer begins no picture, unless the packet before ended one")
    func spatialLayer() throws {
        // I, L, B; TID 0, SID 1, D
        let descriptor = try #require(videoDescriptor([0xA8, 0x05, 0b0000_0011, 0x09, 0xAA], .vp9))
        #expect(descriptor.spatialLayer == 1)
        #expect(!descriptor.beginsFrame)
        #expect(descriptor.mayBeginFrame)
        #expect(!descriptor.isKeyFrame)
    }

    @Test("A key frame's size is read from the frame itself when there is no structure")
    func frameHeader() throws {
        // Profile 0, key frame, shown; colour space 2, range 0; 1280 × 720, less one each
        let bits: UInt64 = 2 << 37 | UInt64(1_279) << 20 | UInt64(719) << 4
        let header: [UInt8] = [0x82, 0x49, 0x83, 0x42] + (0..<5).map { UInt8(bits >> UInt64(32 - 8 * $0) & 0xFF) }
        let descriptor = try #require(videoDescriptor([0x98, 0x05] + header, .vp9))
        #expect(descriptor.width == 1_280)
        #expect(descriptor.height == 720)
    }

    @Test("What we write: flexible mode, B and E, and the structure in a key frame's first packet only")
    func written() throws {
        var packetizer = try #require(VideoPacketizer(format: .vp9, firstPictureID: 0x1234))
        let key = EncodedVideoFrame(
            format: .vp9, data: [UInt8](repeating: 0x82, count: 150), isKeyFrame: true, timestamp: RTPTimestamp(0),
            width: 640, height: 360)
        let first = packetizer.payloads(of: key, maximumPayloadSize: 100)
        #expect(first.map(\.count) == [80, 81])
        #expect(Array(first[0][..<8]) == [0x9A, 0x92, 0x34, 0x10, 0x02, 0x80, 0x01, 0x68])
        #expect(Array(first[1][..<3]) == [0x94, 0x92, 0x34])
        var delta = key
        delta.isKeyFrame = false
        let second = packetizer.payloads(of: delta, maximumPayloadSize: 1_000)
        #expect(second.count == 1)
        #expect(Array(second[0][..<4]) == [0xDC, 0x92, 0x35, 0x02])
    }
}
