import RTCTransport
import RTCWire

/// Two ends of an association, of which one gets what the other never sent.
func fuzzSCTP(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var now = Instant(nanoseconds: 1_000_000_000)
    var one = AssociationEnd(seed: 1)
    var other = AssociationEnd(seed: 2)
    one.transport.start(as: .client, remoteMaximumMessageSize: 65_536, at: now)
    other.transport.start(as: .server, remoteMaximumMessageSize: 65_536, at: now)
    one.open(DataChannelParameters(label: "data"), at: now)
    // An early input is a fuzzed handshake, the usual one meets an association.
    if input.byte() % 4 != 0 { exchange(&one, &other, at: now) }

    for _ in 0..<64 where !input.isEmpty {
        switch input.number(below: 10) {
        case 0, 1, 2: one.receive(other.disguise(input.chunk()), at: now)
        case 3, 4: one.receive(other.disguise(input.mutate(other.lastPacket)), at: now)
        case 5: one.receive(input.chunk(), at: now)
        case 6:
            now += .milliseconds(Int64(input.byte()) * 20)
            one.handleTimeout(at: now)
            other.handleTimeout(at: now)
        case 7: one.send(input.chunk(limit: 5_000), at: now)
        case 8:
            one.open(
                DataChannelParameters(
                    label: input.text(limit: 40), ordered: input.byte() % 2 == 0, maxRetransmits: UInt16(input.byte())),
                at: now)
        default: one.closeOldest(at: now)
        }
        if input.byte() % 2 == 0 { exchange(&one, &other, at: now) } else { one.drain(at: now) }
    }
    one.drain(at: now)
}

/// Carries packets to and fro until both are silent.
private func exchange(_ one: inout AssociationEnd, _ other: inout AssociationEnd, at now: Instant) {
    for _ in 0..<50 {
        let (there, back) = (one.drain(at: now), other.drain(at: now))
        if there.isEmpty, back.isEmpty { return }
        for packet in there { other.receive(packet, at: now) }
        for packet in back { one.receive(packet, at: now) }
    }
}

struct AssociationEnd {
    var transport: DataChannelTransport
    private var channels: [DataChannelTransport.ChannelID] = []
    /// The packet that this end sent last: good to be mutated.
    private(set) var lastPacket: [UInt8] = []
    /// The verification tag that the other end expects.
    private var tag: [UInt8] = [0, 0, 0, 0]

    init(seed: UInt64) {
        transport = DataChannelTransport(configuration: SCTPConfiguration(), random: SeededRandom(seed: seed))
    }

    mutating func receive(_ packet: [UInt8], at now: Instant) {
        packet.withUnsafeBytes { transport.receive(RawSpan(_unsafeBytes: $0), at: now) }
    }

    mutating func handleTimeout(at now: Instant) {
        transport.handleTimeout(at: now)
    }

    mutating func open(_ parameters: DataChannelParameters, at now: Instant) {
        if let id = try? transport.open(parameters, at: now) { channels.append(id) }
    }

    mutating func send(_ bytes: [UInt8], at now: Instant) {
        for id in channels.suffix(2) {
            try? transport.send(DataChannelMessage(bytes: bytes, isText: false), on: id, at: now)
        }
    }

    mutating func closeOldest(at now: Instant) {
        guard !channels.isEmpty else { return }
        transport.close(channels.removeFirst(), at: now)
    }

    /// Everything that waits: packets are returned, events are followed.
    @discardableResult
    mutating func drain(at now: Instant) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var memory = [UInt8](repeating: 0, count: 1_200)
        while true {
            let count = memory.withUnsafeMutableBytes { transport.pollTransmit(into: $0, at: now) }
            if count == 0 { break }
            precondition(count <= 1_200, "a packet is larger than allowed: \(count)")
            lastPacket = Array(memory[..<count])
            if lastPacket.count >= 8, lastPacket[4..<8] != [0, 0, 0, 0] { tag = Array(lastPacket[4..<8]) }
            packets.append(lastPacket)
            precondition(packets.count < 20_000, "one input makes packets without end")
        }
        var events = 0
        while let event = transport.pollEvent() {
            switch event {
            case .message(let id, let message): transport.consumed(message.bytes.count, on: id, at: now)
            case .incoming(let id, _): channels.append(id)
            case .closed(let id): channels.removeAll { $0 == id }
            default: break
            }
            events += 1
            precondition(events < 100_000, "one input makes events without end")
        }
        return packets
    }

    /// Gives bytes the ports, the tag and the checksum that let them pass for a packet of this end.
    func disguise(_ bytes: [UInt8]) -> [UInt8] {
        var packet = bytes
        if packet.count < 12 { packet.append(contentsOf: repeatElement(0, count: 12 - packet.count)) }
        packet.replaceSubrange(0..<4, with: [0x13, 0x88, 0x13, 0x88])
        packet.replaceSubrange(4..<8, with: tag)
        packet.replaceSubrange(8..<12, with: [0, 0, 0, 0])
        let checksum = packet.withUnsafeBytes { CRC32C.checksum(ofSCTPPacket: $0) }
        // The checksum stands in the packet with its least significant byte first (RFC 9260, appendix A).
        for i in 0..<4 { packet[8 + i] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(i))) }
        return packet
    }
}
