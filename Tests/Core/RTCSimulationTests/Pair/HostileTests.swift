import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

/// Keeps what passes, to send it again changed.
private final class Recorder: PacketTap {
    var datagrams: [[UInt8]] = []

    func packet(
        _ packet: UnsafeRawBufferPointer, kind: PacketKind, path: TransportPath, isOutgoing: Bool, at now: Instant
    ) {
        if datagrams.count < 400 { datagrams.append(Array(packet)) }
    }
}

@Suite("Hostile datagrams")
struct HostileTests {
    private static let stranger = TransportAddress(ip: IPAddress(203, 0, 113, 66), port: 666)
    private static let bobAddress = TransportAddress(ip: IPAddress(192, 0, 2, 2), port: 50_001)

    /// A datagram that is noise, half right, or one that was seen before with a few bytes changed.
    private func datagram(_ random: SeededRandom, like seen: [[UInt8]]) -> [UInt8] {
        if let index = seen.isEmpty ? nil : Int(random.next(below: UInt64(seen.count))), random.next(below: 3) > 0 {
            var bytes = seen[index]
            for _ in 0...random.next(below: 4) where !bytes.isEmpty {
                switch random.next(below: 4) {
                case 0: bytes[Int(random.next(below: UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes[Int(random.next(below: UInt64(bytes.count)))] ^= 1 << UInt8(random.next(below: 8))
                case 2: bytes.removeLast(Int(random.next(below: UInt64(bytes.count))))
                default: bytes += random.bytes(Int(random.next(below: 20)))
                }
            }
            return bytes
        }
        var bytes = random.bytes(Int(random.next(below: 1_300)))
        if !bytes.isEmpty { bytes[0] = [0, 1, 20, 22, 23, 0x2F, 0x2C, 64, 128, 255][Int(random.next(below: 10))] }
        if bytes.count > 20, bytes[0] < 4 {
            bytes.replaceSubrange(4..<8, with: [0x21, 0x12, 0xA4, 0x42])
            bytes.replaceSubrange(2..<4, with: [UInt8((bytes.count - 20) >> 8), UInt8((bytes.count - 20) & 0xFC)])
        }
        return bytes
    }

    @Test("before, during and after the set-up change nothing", arguments: Seeds.all)
    func noise(seed: UInt64) throws {
        let random = SeededRandom(seed: seed &* 77)
        let recorder = Recorder()
        // Narrow, so that the transfer lasts and there are many moments between two datagrams.
        let conditions = LinkConditions(bandwidth: .megabits(2), delay: .milliseconds(20))
        let pair = try SimulatedPair.direct(seed: seed, conditions)
        pair.with(.bob) { peer, _ in peer.tap = recorder }
        let traffic = try Traffic(pair)
        var injected = 0
        var budget = 1_500
        let isDone = pair.run(for: .seconds(60)) { pair in
            traffic.pump()
            if traffic.isDone { return true }
            guard budget > 0 else { return false }
            for side in SimulatedSide.allCases {
                let source =
                    random.next(below: 2) == 0
                    ? Self.stranger
                    : TransportAddress(ip: IPAddress(192, 0, 2, side == .alice ? 2 : 1), port: 50_001)
                pair.inject(datagram(random, like: recorder.datagrams), into: side, from: source)
                injected += 1
                budget -= 1
            }
            return false
        }
        #expect(isDone)
        #expect(injected > 500)
        traffic.check()
        #expect(pair.areConnected)
        pair.close(.alice)
        for _ in 0..<50 { pair.inject(datagram(random, like: recorder.datagrams), into: .alice, from: Self.stranger) }
        pair.close(.bob)
        pair.expectSilence()
    }

    @Test("are counted where nobody can use them")
    func counted() throws {
        let pair = try SimulatedPair.direct(seed: 1)
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        #expect(pair.run(for: .seconds(10)) { $0.areConnected })
        let before = pair.bob.peer.counters
        pair.inject([200, 1, 2, 3], into: .bob, from: Self.stranger)
        pair.inject([22, 1, 2, 3], into: .bob, from: Self.stranger)
        let counters = pair.bob.peer.counters
        #expect(counters.unknownDatagrams == before.unknownDatagrams + 1)
        #expect(counters.unprovedDatagrams == before.unprovedDatagrams + 1)
        #expect(counters.datagramsSent == before.datagramsSent)
    }

    @Test("in floods make a peer neither answer nor grow", arguments: Seeds.few)
    func flood(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        let pair = try SimulatedPair.direct(seed: seed)
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        #expect(pair.run(for: .seconds(10)) { $0.areConnected && $0.bob.channel("data")?.state == .open })
        let before = pair.network.statistics.sent
        for _ in 0..<20_000 { pair.inject(datagram(random, like: []), into: .bob, from: Self.stranger) }
        #expect(pair.network.statistics.sent - before < 1_000)
        #expect(pair.areConnected && !pair.isStuck)
        let channel = try #require(pair.alice.channel("data"))
        try pair.send(DataChannelMessage("still here"), on: channel.id, from: .alice)
        #expect(
            pair.run(for: .seconds(5)) { $0.bob.channel("data")?.messages.last == DataChannelMessage("still here") })
    }

    @Test("with forged addresses do not move the connection", arguments: Seeds.few)
    func forgedSource(seed: UInt64) throws {
        let recorder = Recorder()
        let pair = try SimulatedPair.direct(seed: seed)
        pair.with(.alice) { peer, _ in peer.tap = recorder }
        let traffic = try Traffic(pair)
        #expect(traffic.run(for: .seconds(30)))
        // Real packets of alice's, from an address that is not hers.
        for datagram in recorder.datagrams { pair.inject(datagram, into: .bob, from: Self.stranger) }
        pair.run(for: .seconds(20))
        #expect(pair.areConnected)
        let remotes = pair.bob.events.compactMap {
            if case .selectedPath(let path) = $0.event { path.remote } else { nil }
        }
        #expect(!remotes.contains(Self.stranger))
        traffic.check()
    }
}
