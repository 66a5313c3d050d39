import RTCTransport
import RTCWire
import Testing

@Suite("TURN: relayed data")
struct TURNDataTests {
    private let peer = turnAddress("192.0.2.99:5000")
    private let peer6 = turnAddress("[2001:db8::99]:5000")

    @Test(
        "The first packets wait for the permission; then indications, then a channel; each arrives as it was",
        arguments: ICERelayProperties.Transport.everyCase)
    func ladder(transport: ICERelayProperties.Transport) {
        for peer in [peer, peer6] {
            let bench = TURNTestBench(transport: transport)
            #expect(bench.allocate())
            bench.send([[1]], to: peer, isData: false)
            #expect(bench.atPeer.isEmpty)
            bench.run(for: .seconds(1))
            #expect(bench.atPeer.map(\.bytes) == [[1]])
            #expect(bench.count(.channelBind) == 0)
            let packets = (1...9).map { size in [UInt8](repeating: UInt8(size), count: size) }
            bench.send(packets, to: peer)
            #expect(bench.server.channelMessages == 0)
            bench.run(for: .seconds(1))
            #expect(bench.server.indications == 10)
            #expect(bench.count(.channelBind) == 1)
            bench.send(packets, to: peer)
            bench.run(for: .seconds(1))
            #expect(bench.server.channelMessages == 9)
            #expect(bench.atPeer.map(\.bytes) == [[1]] + packets + packets)
            #expect(bench.atPeer.allSatisfy { $0.to == peer && bench.client.relayed.contains($0.from) })
        }
    }

    @Test(
        "What comes back is unwrapped where it lies: indications, then a channel",
        arguments: ICERelayProperties.Transport.everyCase)
    func received(transport: ICERelayProperties.Transport) throws {
        let bench = TURNTestBench(transport: transport)
        #expect(bench.allocate())
        let relayed = try #require(bench.relayed)
        bench.sendFromPeer([9], from: peer, to: relayed)
        bench.run(for: .seconds(1))
        #expect(bench.received.isEmpty)
        bench.send([[1]], to: peer)
        bench.run(for: .seconds(1))
        for size in 1...9 {
            bench.sendFromPeer([UInt8](repeating: 7, count: size), from: peer, to: relayed)
        }
        bench.send([[1]], to: peer)
        bench.run(for: .seconds(1))
        for size in 1...9 {
            bench.sendFromPeer([UInt8](repeating: 8, count: size), from: peer, to: relayed)
        }
        bench.run(for: .seconds(1))
        let sizes = Array(1...9)
        #expect(bench.received.map(\.bytes.count) == sizes + sizes)
        #expect(bench.received.allSatisfy { $0.from == peer })
        #expect(bench.received.last?.bytes == [UInt8](repeating: 8, count: 9))
    }

    @Test("Over a channel a batch stays one: packets of one size with four bytes before each, the last may be shorter")
    func batches() {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        bench.send([[1]], to: peer)
        bench.run(for: .seconds(1))
        bench.send([[1]], to: peer)
        bench.run(for: .seconds(1))
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            batch.frame(by: bench.client.framing(for: peer))
            let room = batch.room
            #expect(room == 64_996)
            var taken = 0
            while [UInt8](repeating: UInt8(taken), count: 1_200).withUnsafeBytes({ batch.append($0) }) { taken += 1 }
            #expect(taken == 53)
            let isShorterTaken = [UInt8](repeating: 9, count: 24).withUnsafeBytes { batch.append($0) }
            let isFramed = bench.client.frame(&batch, to: peer, isData: true, at: bench.now)
            #expect(isShorterTaken && isFramed)
            let (count, size, bytes) = (batch.count, batch.segmentSize, batch.byteCount)
            #expect(count == 54 && size == 1_204 && bytes == 53 * 1_204 + 4 + 24)
            for start in stride(from: 0, to: batch.byteCount, by: 1_204) {
                let head = memory.load(fromByteOffset: start, as: UInt32.self).bigEndian
                #expect(head == 0x4000_0000 | (start < 53 * 1_204 ? 1_200 : 24))
            }
        }
    }

    @Test("Permission and channel live as long as they are used, and run out when they are not")
    func lifetimes() throws {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        let relayed = try #require(bench.relayed)
        for _ in 0..<3_600 {
            bench.send([[1, 2, 3, 4]], to: peer)
            bench.run(for: .seconds(1))
        }
        #expect(bench.atPeer.count == 3_600)
        #expect((5...10).contains(bench.count(.channelBind)))
        bench.sendFromPeer([5], from: peer, to: relayed)
        bench.run(for: .seconds(1))
        #expect(bench.received.count == 1)
        let requests = bench.count(.createPermission) + bench.count(.channelBind)
        bench.run(for: .seconds(1_500))
        #expect(bench.count(.createPermission) + bench.count(.channelBind) <= requests + 4)
        bench.sendFromPeer([6], from: peer, to: relayed)
        bench.run(for: .seconds(1))
        #expect(bench.received.count == 1)
        // And it begins again.
        bench.send([[1]], to: peer)
        bench.run(for: .seconds(1))
        bench.sendFromPeer([6], from: peer, to: relayed)
        bench.run(for: .seconds(1))
        #expect(bench.received.count == 2 && bench.atPeer.count == 3_601)
    }

    @Test("An hour of data with 20 % loss: no request's loss stops what is relayed", arguments: 1...5)
    func loss(seed: Int) {
        let bench = TURNTestBench(seed: UInt64(seed))
        #expect(bench.allocate())
        bench.loss = 0.2
        for _ in 0..<7_200 {
            bench.send([[1, 2, 3, 4]], to: peer)
            bench.run(for: .milliseconds(500))
        }
        #expect(bench.losses.isEmpty)
        #expect(bench.atPeer.count > 5_500)
    }

    @Test("Peers, channels and waiting packets are bounded")
    func bounds() {
        let bench = TURNTestBench { configuration in
            configuration.maximumPermissions = 4
            configuration.maximumChannels = 2
            configuration.maximumHeldPackets = 3
        }
        #expect(bench.allocate())
        for number in 0..<10 {
            bench.send([[UInt8](repeating: UInt8(number), count: 10)], to: turnAddress("192.0.2.\(100 + number):9"))
        }
        bench.run(for: .seconds(1))
        #expect(bench.count(.createPermission) == 4)
        #expect(bench.atPeer.count == 3)
        #expect(bench.client.counters.droppedPackets > 0)
        for number in 0..<10 {
            bench.send([[UInt8](repeating: UInt8(number), count: 10)], to: turnAddress("192.0.2.\(100 + number):9"))
        }
        bench.run(for: .seconds(1))
        #expect(bench.count(.channelBind) == 2)
        // Whoever has been silent for a while makes way.
        bench.run(for: .seconds(40))
        bench.send([[1]], to: turnAddress("192.0.2.109:9"))
        bench.run(for: .seconds(1))
        #expect(bench.atPeer.last?.to == turnAddress("192.0.2.109:9"))
    }

    @Test("A peer of a family that is not relayed is not asked for")
    func family() {
        let bench = TURNTestBench { $0.families = .ipv4 }
        #expect(bench.allocate())
        bench.send([[1]], to: peer6)
        bench.run(for: .seconds(10))
        #expect(bench.count(.createPermission) == 0 && bench.atPeer.isEmpty)
    }

    @Test("Forty thousand peers in an hour use channel numbers up and begin again")
    func numbers() {
        let bench = TURNTestBench()
        bench.delay = .zero
        #expect(bench.allocate())
        for number in 0..<40_000 {
            let peer = TransportAddress(ip: IPAddress(192, 0, 2, 9), port: UInt16(1_000 + number))
            bench.send([[1]], to: peer)
            bench.run(for: .milliseconds(500))
        }
        #expect(bench.losses.isEmpty)
        #expect(bench.atPeer.count == 40_000)
    }
}
