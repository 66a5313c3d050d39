import RTCTransport
import RTCWire
import Testing

@Suite("ICE: gathering")
struct ICEGatheringTests {
    @Test("Without servers gathering is complete at once")
    func hostOnly() {
        let pair = ICETestPair()
        pair.left.agent.startGathering(at: .zero)
        #expect(pair.left.agent.gatheringState == .gathering)
        pair.left.agent.endOfSockets(at: .zero)
        #expect(pair.left.agent.gatheringState == .complete)
        pair.left.drain()
        #expect(pair.left.candidates.count == 1)
    }

    @Test("Dead servers hold gathering up for three seconds, and are asked on the schedule of RFC 8489")
    func deadServer() {
        let pair = ICETestPair()
        pair.left.agent.addSTUNServer(iceAddress("203.0.113.9:3478"), at: .zero)
        pair.left.agent.startGathering(at: .zero)
        pair.left.agent.endOfSockets(at: .zero)
        var times: [Int64] = []
        var sent = 0
        pair.network.run(for: .seconds(60)) {
            if pair.left.sent > sent {
                sent = pair.left.sent
                times.append((pair.network.now - .zero).milliseconds)
            }
            return false
        }
        #expect(times == [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500])
        #expect(pair.left.time(of: .complete) == .zero + .seconds(3))
        #expect(pair.left.agent.nextDeadline == nil)
    }

    @Test("A late answer still gives a candidate")
    func lateAnswer() {
        let pair = ICETestPair(sockets: false)
        pair.network.addNAT(.fullCone, realm: 1, address: "198.51.100.1")
        pair.left.addSocket(1, "10.0.0.5:1000", realm: 1)
        let server = pair.network.addSTUNServer("203.0.113.1:3478")
        pair.network.isBlocked = { _, to in to == server && pair.network.now < .zero + .seconds(5) }
        pair.left.agent.addSTUNServer(server, at: .zero)
        pair.left.agent.startGathering(at: .zero)
        pair.left.agent.endOfSockets(at: .zero)
        pair.network.run(for: .seconds(4))
        #expect(pair.left.agent.gatheringState == .complete)
        #expect(pair.left.candidates.map(\.type) == [.host])
        pair.network.run(for: .seconds(6))
        #expect(pair.left.candidates.map(\.type) == [.host, .serverReflexive])
    }

    @Test("Redundant reflexive candidates are left out: no NAT, or a second server with the same answer")
    func redundant() {
        let pair = ICETestPair(sockets: false)
        pair.network.addNAT(.fullCone, realm: 1, address: "198.51.100.1")
        pair.left.addSocket(1, "10.0.0.5:1000", realm: 1)
        pair.left.addSocket(2, "192.0.2.1:1000")
        for index in 1...3 {
            pair.left.agent.addSTUNServer(pair.network.addSTUNServer("203.0.113.\(index):3478"), at: .zero)
        }
        pair.left.agent.startGathering(at: .zero)
        pair.left.agent.endOfSockets(at: .zero)
        pair.network.run(for: .seconds(5))
        #expect(pair.left.candidates.map(\.type) == [.host, .host, .serverReflexive])
        #expect(pair.left.agent.gatheringState == .complete)
        // Six transactions, one every 50 ms, and a round trip.
        #expect(pair.left.time(of: .complete) == .zero + .milliseconds(270))
    }

    @Test("A socket that comes after the end is announced, and gathering opens again for its servers")
    func lateSocket() {
        let pair = ICETestPair()
        pair.network.addNAT(.fullCone, realm: 1, address: "198.51.100.1")
        pair.left.agent.addSTUNServer(pair.network.addSTUNServer("203.0.113.1:3478"), at: .zero)
        pair.gather()
        pair.network.run(for: .seconds(1))
        #expect(pair.left.agent.gatheringState == .complete)
        pair.left.addSocket(2, "10.0.0.5:1000", realm: 1)
        #expect(pair.left.agent.gatheringState == .gathering)
        pair.network.run(for: .seconds(1))
        #expect(pair.left.agent.gatheringState == .complete)
        #expect(pair.left.candidates.map(\.type) == [.host, .host, .serverReflexive])
    }

    @Test("No server of another family, and none for loopback or link-local addresses, is asked")
    func unreachableServers() {
        let pair = ICETestPair(sockets: false)
        pair.left.addSocket(1, "[2001:db8::1]:1000")
        pair.left.addSocket(2, "127.0.0.1:1000")
        pair.left.addSocket(3, "[fe80::1]:1000")
        pair.left.addSocket(4, "169.254.0.1:1000")
        pair.left.agent.addSTUNServer(iceAddress("203.0.113.1:3478"), at: .zero)
        pair.left.agent.startGathering(at: .zero)
        pair.left.agent.endOfSockets(at: .zero)
        #expect(pair.left.agent.gatheringState == .complete)
    }

    @Test(
        "Which server is asked from which address",
        arguments: [
            ("10.0.0.5", "203.0.113.1", true), ("10.0.0.5", "127.0.0.1", true), ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "203.0.113.1", false), ("2001:db8::1", "::1", true), ("::1", "2001:db8::1", false),
            ("2001:db8::1", "127.0.0.1", false), ("fe80::1", "2001:db8::1", false),
            ("169.254.0.1", "203.0.113.1", false),
        ])
    func askedServers(from host: String, server: String, isAsked: Bool) throws {
        #expect(try #require(IPAddress(host)).mayAskServer(at: #require(IPAddress(server))) == isAsked)
        let pair = ICETestPair(sockets: false)
        pair.left.addSocket(1, host.contains(":") ? "[\(host)]:1000" : "\(host):1000")
        pair.left.agent.addSTUNServer(
            iceAddress(server.contains(":") ? "[\(server)]:3478" : "\(server):3478"), at: .zero)
        pair.left.agent.startGathering(at: .zero)
        pair.left.agent.endOfSockets(at: .zero)
        #expect(pair.left.agent.gatheringState == (isAsked ? .gathering : .complete))
    }

    @Test("A response from elsewhere than the server is not believed")
    func spoofed() {
        let pair = ICETestPair()
        pair.left.agent.addSTUNServer(iceAddress("203.0.113.1:3478"), at: .zero)
        pair.left.agent.startGathering(at: .zero)
        var request: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            #expect(pair.left.agent.pollTransmit(into: &batch, at: .zero))
            request = Array(memory[0..<batch.byteCount])
        }
        let reply = request.withUnsafeBytes { bytes -> [UInt8]? in
            guard let id = STUNMessage(bytes.bytes)?.transactionID else { return nil }
            return stunMessage(.successResponse, .binding, id) {
                $0.write(.xorMappedAddress, xor: iceAddress("198.51.100.66:6"))
            }
        }
        pair.left.receive(reply ?? [], from: iceAddress("203.0.113.2:3478"), on: SocketID(1))
        pair.left.drain()
        #expect(pair.left.candidates.count == 1)
        #expect(pair.left.statistics.counters.unexpectedResponses == 1)
        pair.left.receive(reply ?? [], from: iceAddress("203.0.113.1:3478"), on: SocketID(1))
        pair.left.drain()
        #expect(pair.left.candidates.count == 2)
    }

    @Test("Without that policy a relayed candidate states what it was derived from")
    func relatedAddress() {
        let pair = ICETestPair(sockets: false)
        let relay = ICERelayProperties(
            server: iceAddress("203.0.113.1:3478"), mappedAddress: iceAddress("198.51.100.1:999"), transport: .udp)
        pair.left.agent.addSocket(
            SocketID(9), address: iceAddress("203.0.113.1:50000"), properties: ICESocketProperties(relay: relay),
            at: .zero)
        pair.gather()
        #expect(pair.left.candidates.map(\.relatedAddress) == [IPAddress(198, 51, 100, 1)])
        #expect(pair.left.candidates.map(\.relatedPort) == [999])
    }

    @Test("An answer with a comprehension-required attribute that we do not know is none (RFC 8489, section 6.3.3)")
    func unknownAttribute() throws {
        var solo = ICESoloAgent(gathers: false)
        let server = iceAddress("203.0.113.1:3478")
        solo.agent.addSTUNServer(server, at: solo.now)
        solo.agent.startGathering(at: solo.now)
        solo.agent.endOfSockets(at: solo.now)
        let request = try #require(solo.sent().first).bytes
        let id = try request.withUnsafeBytes { try requireMessage($0.bytes).transactionID }
        let reply = stunMessage(.successResponse, .binding, id) { writer in
            writer.write(.xorMappedAddress, xor: iceAddress("198.51.100.1:999"))
            writer.write(STUNAttributeType(rawValue: 0x7ABC), UInt32(1))
        }
        solo.receive(reply ?? [], from: server)
        #expect(!solo.agent.statistics().localCandidates.contains { $0.candidate.type == .serverReflexive })
        #expect(solo.agent.gatheringState == .complete)
        #expect(solo.agent.statistics().counters.unknownAttributes == 1)
    }

    @Test("The relay policy: only relayed candidates, no reflexive ones, and no answers from other sockets")
    func relayPolicy() {
        var configuration = ICEConfiguration()
        configuration.candidatePolicy = .relay
        let pair = ICETestPair(configuration: configuration)
        let relay = ICERelayProperties(
            server: iceAddress("203.0.113.1:3478"), mappedAddress: iceAddress("198.51.100.1:999"), transport: .tcp)
        pair.left.agent.addSTUNServer(iceAddress("203.0.113.1:3478"), at: .zero)
        pair.left.agent.addSocket(
            SocketID(9), address: iceAddress("203.0.113.1:50000"), properties: ICESocketProperties(relay: relay),
            at: .zero)
        pair.gather()
        #expect(pair.left.candidates.count == 1)
        #expect(pair.left.candidates.first?.type == .relayed)
        // RFC 8839, section 5.1: the related address would tell what the relay is there to hide.
        #expect(pair.left.candidates.first?.relatedAddress == IPAddress(0, 0, 0, 0))
        #expect(pair.left.candidates.first?.relatedPort == 0)
        #expect(pair.left.candidates.first.map { $0.priority >> 24 } == 1)
        #expect(pair.left.agent.gatheringState == .complete)
        pair.exchangeCredentials()
        pair.network.run(for: .seconds(1))
        #expect(pair.left.statistics.candidatePairs.allSatisfy { $0.path.socket == SocketID(9) })
        // The right side, under the same policy, has nothing to offer.
        #expect(pair.right.candidates.isEmpty)
        #expect(pair.right.sent == 0)
    }
}
