import RTCWire
import Testing

@testable import RTCMedia

@Suite("RTP header extensions are read and written")
struct RTPHeaderExtensionTests {
    private static let map = RTPHeaderExtensionMap([
        (1, .mediaIdentification), (2, .absoluteSendTime), (3, .transportSequenceNumber), (4, .audioLevel),
        (5, .videoOrientation), (6, .playoutDelay), (7, .absoluteCaptureTime), (8, .streamIdentifier),
        (9, .repairedStreamIdentifier), (10, .transmissionOffset),
    ])

    private static func everything() -> RTPHeaderExtensions {
        var extensions = RTPHeaderExtensions()
        extensions.mid = RTPStreamName("video0")
        extensions.rid = RTPStreamName("h")
        extensions.repairedRID = RTPStreamName("0123456789abcdef")
        extensions.absoluteSendTime = AbsoluteSendTime(rawValue: 0xABCDEF)
        extensions.transportSequenceNumber = TransportSequenceNumber(0xFFFE)
        extensions.audioLevel = PacketAudioLevel(hasVoice: true, level: 42)
        extensions.rotation = .clockwise270
        extensions.playoutDelay = PlayoutDelay(minimum: .milliseconds(100), maximum: .milliseconds(40_950))
        extensions.absoluteCaptureTime = AbsoluteCaptureTime(
            timestamp: NTPTimestamp(rawValue: 0x0123_4567_89AB_CDEF), clockOffset: -5)
        extensions.transmissionOffset = -2
        return extensions
    }

    private static func packet(_ extensions: RTPHeaderExtensions, _ map: RTPHeaderExtensionMap) -> [UInt8] {
        PacketBytes.write {
            RTPHeader(
                payloadType: RTPPayloadType(96), sequenceNumber: RTPSequenceNumber(1), timestamp: RTPTimestamp(2),
                ssrc: SynchronizationSource(3)
            ).write(to: &$0, hasExtension: true)
            extensions.write(to: &$0, map: map)
            $0.write([9, 9, 9] as [UInt8])
        }
    }

    private static func read(_ packet: [UInt8], _ map: RTPHeaderExtensionMap) -> (
        RTPHeaderExtensions, payload: Range<Int>
    )? {
        packet.withUnsafeBytes { memory in
            let span = RawSpan(_unsafeBytes: memory)
            guard let header = RTPHeader(span), let payload = header.payloadRange(in: span) else { return nil }
            return (RTPHeaderExtensions(span, header: header, map: map), payload)
        }
    }

    /// A packet whose extension has this profile and these bytes.
    private static func packet(profile: UInt16, _ data: [UInt8]) -> [UInt8] {
        [0x90, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, UInt8(profile >> 8), UInt8(profile & 0xFF)]
            + [UInt8((data.count / 4) >> 8), UInt8((data.count / 4) & 0xFF)] + data
    }

    @Test("everything survives a round trip, in both forms", arguments: [0, 100] as [UInt8])
    func roundTrip(highest: UInt8) throws {
        var map = Self.map
        if highest > 0 { map.set(.transmissionOffset, id: highest) }
        #expect(map.usesTwoByteForm == (highest > 0))
        let packet = Self.packet(Self.everything(), map)
        #expect(packet[12...13].elementsEqual(highest > 0 ? [0x10, 0x00] : [0xBE, 0xDE]))
        let (read, payload) = try #require(Self.read(packet, map))
        #expect(read == Self.everything())
        #expect(payload.count == 3)
        #expect(Self.everything().size(in: map) == packet.count - 12 - 3)
    }

    @Test("the one-byte form is what RFC 8285 shows")
    func oneByteForm() {
        var extensions = RTPHeaderExtensions()
        extensions.mid = RTPStreamName("ab")
        extensions.audioLevel = PacketAudioLevel(hasVoice: true, level: 1)
        let packet = Self.packet(extensions, Self.map)
        #expect(packet[12..<24] == [0xBE, 0xDE, 0, 2, 0x11, 0x61, 0x62, 0x40, 0x81, 0, 0, 0])
    }

    @Test("the two-byte form is what RFC 8285 shows")
    func twoByteForm() {
        let map = RTPHeaderExtensionMap([(200, .mediaIdentification), (4, .audioLevel)])
        var extensions = RTPHeaderExtensions()
        extensions.mid = RTPStreamName("ab")
        extensions.audioLevel = PacketAudioLevel(hasVoice: false, level: 127)
        let packet = Self.packet(extensions, map)
        #expect(packet[12..<24] == [0x10, 0, 0, 2, 200, 2, 0x61, 0x62, 4, 1, 127, 0])
    }

    @Test("what has no number is not written, and nothing at all needs no extension")
    func unnegotiated() throws {
        let map = RTPHeaderExtensionMap([(4, .audioLevel)])
        #expect(RTPHeaderExtensions().size(in: map) == 0)
        let (read, _) = try #require(Self.read(Self.packet(Self.everything(), map), map))
        var expected = RTPHeaderExtensions()
        expected.audioLevel = PacketAudioLevel(hasVoice: true, level: 42)
        #expect(read == expected)
    }

    @Test("padding between elements is skipped; number 15 and padding with a length end the reading")
    func paddingAndReserved() throws {
        let level: [UInt8] = [0x40, 0x85]
        for (data, isRead) in [
            ([0, 0] + level, true), (level + [0, 0], true), ([0xF0, 1] + level, false), ([0x02, 1] + level, false),
        ] as [([UInt8], Bool)] {
            let (read, _) = try #require(Self.read(Self.packet(profile: 0xBEDE, data), Self.map))
            #expect((read.audioLevel != nil) == isRead)
        }
    }

    @Test("the two-byte form allows empty elements and any profile from 0x1000 to 0x100F")
    func twoByteReading() throws {
        let data: [UInt8] = [1, 0, 0, 4, 1, 0x85, 77, 0]
        for profile in [0x1000, 0x1007, 0x100F] as [UInt16] {
            let (read, _) = try #require(Self.read(Self.packet(profile: profile, data), Self.map))
            #expect(read.audioLevel == PacketAudioLevel(hasVoice: true, level: 5))
            #expect(read.mid == nil)
        }
        let (unknown, _) = try #require(Self.read(Self.packet(profile: 0x1234, data), Self.map))
        #expect(unknown == RTPHeaderExtensions())
    }

    @Test("an element that claims more than there is ends the reading and keeps what came before")
    func truncated() throws {
        for (profile, data) in [
            (0xBEDE, [0x40, 0x85, 0x1F, 1]), (0x1000, [4, 1, 0x85, 0, 1, 200, 1, 1]), (0x1000, [4, 1, 0x85, 1]),
        ] as [(UInt16, [UInt8])] {
            let (read, _) = try #require(Self.read(Self.packet(profile: profile, data), Self.map))
            #expect(read.audioLevel?.level == 5)
            #expect(read.mid == nil)
        }
    }

    @Test("elements of a wrong size are ignored")
    func wrongSizes() throws {
        // abs-send-time with 2 bytes, playout-delay with 2, capture time with 9, offset with 4, mid with 17.
        let data: [UInt8] =
            [2, 2, 1, 1, 6, 2, 1, 1, 7, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10, 4, 1, 1, 1, 1, 1, 17]
            + [UInt8](repeating: 97, count: 17) + [3, 1, 7, 0]
        let (read, _) = try #require(Self.read(Self.packet(profile: 0x1000, data), Self.map))
        #expect(read == RTPHeaderExtensions())
    }

    @Test("names hold one to sixteen bytes")
    func names() {
        #expect(RTPStreamName("") == nil)
        #expect(RTPStreamName("0123456789abcdefg") == nil)
        #expect(RTPStreamName("0123456789abcdef")?.description == "0123456789abcdef")
        #expect(RTPStreamName("a") != RTPStreamName("a\0"))
        #expect(RTPStreamName("é")?.count == 2)
    }

    @Test("a map follows a change of numbers")
    func mapChanges() {
        var map = RTPHeaderExtensionMap()
        #expect(map.isEmpty)
        map.set(.audioLevel, id: 1)
        map.set(.audioLevel, id: 20)
        #expect(map[1] == nil && map[20] == .audioLevel && map.id(of: .audioLevel) == 20)
        map.set(.playoutDelay, id: 20)
        #expect(map[20] == .playoutDelay && !map.contains(.audioLevel))
        map.set(.playoutDelay, id: 0)
        #expect(map.isEmpty && map[20] == nil && map[255] == nil)
    }

    @Test("every number finds its extension and no other one")
    func mapNumbers() {
        for id in [1, 2, 14, 15, 16, 17, 254, 255] as [UInt8] {
            var map = RTPHeaderExtensionMap([(3, .audioLevel)])
            for kind in RTPHeaderExtension.allCases where kind != .audioLevel {
                map.set(kind, id: id)
                #expect(map.usesTwoByteForm == (id > 14))
                let found = (0...255).filter { map[UInt8($0)] != nil }
                #expect(found == [3, Int(id)].sorted())
                #expect(map[id] == kind && map[3] == .audioLevel)
            }
        }
    }

    @Test("every extension is found by its name")
    func uris() {
        for known in RTPHeaderExtension.allCases { #expect(RTPHeaderExtension(uri: known.uri) == known) }
        #expect(RTPHeaderExtension(uri: "urn:nobody") == nil)
    }

    @Test("abs-send-time counts 2⁻¹⁸ s and wraps after 64 s")
    func absoluteSendTime() {
        #expect(AbsoluteSendTime(.milliseconds(1_000)).rawValue == 1 << 18)
        #expect(AbsoluteSendTime(.milliseconds(64_500)) == AbsoluteSendTime(.milliseconds(500)))
        let late = AbsoluteSendTime(.milliseconds(64_250))
        #expect(late.since(AbsoluteSendTime(.milliseconds(63_750))) == .milliseconds(500))
        #expect(AbsoluteSendTime(.milliseconds(63_750)).since(late) == .milliseconds(-500))
        #expect(AbsoluteSendTime(Instant(nanoseconds: .max)).rawValue <= 0xFF_FFFF)
        #expect(AbsoluteSendTime(Instant(nanoseconds: .min)).rawValue <= 0xFF_FFFF)
    }

    @Test("fields that are known only at sending are filled in where they are", arguments: [0, 100] as [UInt8])
    func patching(highest: UInt8) throws {
        var map = Self.map
        if highest > 0 { map.set(.absoluteSendTime, id: highest) }
        var fields = RTPSendTimeFields()
        var packet = PacketBytes.write {
            RTPHeader(
                payloadType: RTPPayloadType(96), sequenceNumber: RTPSequenceNumber(1), timestamp: RTPTimestamp(2),
                ssrc: SynchronizationSource(3)
            ).write(to: &$0, hasExtension: true)
            fields = Self.everything().write(to: &$0, map: map)
        }
        packet.withUnsafeMutableBytes {
            fields.patch($0, at: .milliseconds(1_500), transportSequenceNumber: TransportSequenceNumber(0x1234))
        }
        var expected = Self.everything()
        expected.absoluteSendTime = AbsoluteSendTime(.milliseconds(1_500))
        expected.transportSequenceNumber = TransportSequenceNumber(0x1234)
        let (read, _) = try #require(Self.read(packet, map))
        #expect(read == expected)
    }
}
