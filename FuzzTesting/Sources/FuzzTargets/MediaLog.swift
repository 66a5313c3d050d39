import RTCMedia
import RTCWire

/// What a peer's media packets have said so far, so that a made-up one can go on from there.
struct MediaLog {
    /// A source of RTP, as its last packet left it.
    struct Source {
        var ssrc: UInt32
        var payloadType: UInt8
        var number: UInt16
        var timestamp: UInt32
    }

    /// In the order in which they appeared.
    private(set) var sources: [Source] = []
    private var index: UInt32 = 0

    mutating func note(_ datagram: [UInt8]) {
        guard datagram.count >= 12, (128...191).contains(datagram[0]) else { return }
        if (192...223).contains(datagram[1]) {
            index = Self.word(datagram, datagram.count - 4) & 0x7FFF_FFFF
            return
        }
        let source = Source(
            ssrc: Self.word(datagram, 8), payloadType: datagram[1] & 0x7F,
            number: UInt16(truncatingIfNeeded: Self.word(datagram, 0)), timestamp: Self.word(datagram, 4))
        if let place = sources.firstIndex(where: { $0.ssrc == source.ssrc }) {
            sources[place] = source
        } else if sources.count < 16 {
            sources.append(source)
        }
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// One of the sources, or one that nobody knows.
    func source(_ input: inout FuzzInput) -> Source {
        let choice = Int(input.byte())
        guard !sources.isEmpty, choice < 240 else {
            return Source(ssrc: UInt32(choice), payloadType: input.byte() & 0x7F, number: 1, timestamp: 0)
        }
        return sources[choice % sources.count]
    }

    // MARK: Packets that the peer might have sent

    /// An RTP packet, protected as ``OpenCrypto`` protects: of a source, a little before or after what it sent last.
    mutating func rtp(_ input: inout FuzzInput) -> [UInt8] {
        var source = source(&input)
        let choice = input.byte()
        source.number &+= UInt16(bitPattern: Int16(Int8(bitPattern: input.byte())))
        source.timestamp &+= UInt32(choice >> 4) &* 3_000
        if choice & 1 != 0 { source.payloadType = input.byte() & 0x7F }
        let extensions: [UInt8]? = choice & 2 != 0 ? input.chunk(limit: 60) : nil
        var packet: [UInt8] = [
            extensions == nil ? 0x80 : 0x90, source.payloadType | (choice & 4 != 0 ? 0x80 : 0),
        ]
        packet.append(bigEndian: source.number)
        packet.append(bigEndian: source.timestamp)
        packet.append(bigEndian: source.ssrc)
        if let extensions {
            // The one-byte form, or the other one (RFC 8285).
            packet.append(bigEndian: choice & 8 != 0 ? UInt16(0x1000) : 0xBEDE)
            packet.append(bigEndian: UInt16((extensions.count + 3) / 4))
            packet += extensions + [UInt8](repeating: 0, count: (4 - extensions.count % 4) % 4)
        }
        packet += input.chunk(limit: 1_200)
        note(packet)
        return packet + [UInt8](repeating: 0, count: 16)
    }

    /// A compound RTCP packet, protected likewise: reports of its own sources, and feedback on those of the other side.
    mutating func rtcp(about other: MediaLog, _ input: inout FuzzInput) -> [UInt8] {
        var packet: [UInt8] = []
        for _ in 0...input.number(below: 3) {
            let (kind, mine, theirs) = (input.byte(), source(&input), other.source(&input))
            var body: [UInt8] = []
            body.append(bigEndian: mine.ssrc)
            let (type, count) = Self.kinds[Int(kind) % Self.kinds.count]
            if type == 200 { body += Self.fill(input.chunk(limit: 20), to: 20) }
            if type == 205 || type == 206 || count == 1 && type <= 201 { body.append(bigEndian: theirs.ssrc) }
            switch (type, count) {
            case (200...201, 1): body += Self.fill(input.chunk(limit: 20), to: 20)
            case (205, 1):
                body.append(bigEndian: theirs.number &- UInt16(input.byte()))
                body += [input.byte(), input.byte()]
            case (205, 15):
                // Base number, count, reference time, number of the feedback; then what arrived, and when.
                body += [0, input.byte(), 0, input.byte(), 0, 0, input.byte(), input.byte()] + input.chunk(limit: 120)
            case (206, 4):
                body.append(bigEndian: theirs.ssrc)
                body += [input.byte(), 0, 0, 0]
            case (206, 15): body += Array("REMB".utf8) + [1, input.byte(), input.byte(), 0]
            default: body += input.chunk(limit: 120)
            }
            body += [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
            packet += [0x80 | count, type]
            packet.append(bigEndian: UInt16(body.count / 4))
            packet += body
        }
        index = (index &+ 1) & 0x7FFF_FFFF
        packet += [UInt8](repeating: 0, count: 16)
        packet.append(bigEndian: 0x8000_0000 | index)
        return packet
    }

    /// Types, and the count or format in the first byte: reports, descriptions, a good-bye, and each kind of feedback.
    private static let kinds: [(type: UInt8, count: UInt8)] = [
        (200, 0), (200, 1), (201, 1), (202, 1), (203, 1), (205, 1), (205, 15), (206, 1), (206, 4), (206, 15), (204, 0),
        (201, 31),
    ]

    private static func fill(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: max(count - bytes.count, 0))
    }
}
