import RTCTransport
import RTCWire
import Testing

@Suite("ICE: floods and hostile input")
struct ICEFloodTests {
    @Test("Candidates by the thousand: 64 remote ones and 100 pairs at most, and held ones are bounded too")
    func candidates() {
        var solo = ICESoloAgent()
        for index in 2...4 as ClosedRange<UInt32> {
            solo.agent.addSocket(
                SocketID(index), address: iceAddress("192.0.2.1:\(1_000 + index)"), properties: ICESocketProperties(),
                at: solo.now)
        }
        func flood(_ solo: inout ICESoloAgent) {
            for port in 1...5_000 as ClosedRange<UInt16> {
                let candidate = ICECandidate(
                    foundation: "\(port)", priority: UInt32(port), address: .ip(IPAddress(198, 51, 100, 7)), port: port,
                    type: .host)
                solo.agent.addRemoteCandidate(candidate, at: solo.now)
            }
        }
        flood(&solo)
        #expect(solo.agent.statistics().counters.droppedCandidates == 5_000 - 64)
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        flood(&solo)
        let statistics = solo.agent.statistics()
        #expect(statistics.remoteCandidates.count == 64)
        #expect(statistics.candidatePairs.count == 100)
        // The list keeps the best: 64 candidates on 4 sockets would be 256 pairs.
        #expect(statistics.counters.droppedPairs >= 156)
        // And they are checked at their pace, not all at once.
        var sent = solo.sent().count
        #expect(sent <= 2)
        solo.wait(.seconds(1))
        sent += solo.sent().count
        #expect(sent <= 22)
    }

    @Test("Checks from a thousand addresses: every one is answered, pairs stay bounded, and triggered checks with them")
    func checks() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        var requests = 0
        var responses = 0
        for port in 1...1_000 as ClosedRange<UInt16> {
            solo.receive(
                solo.peer.check(to: solo.agent), from: TransportAddress(ip: IPAddress(192, 0, 2, 9), port: port))
            let classes = ICESoloAgent.classes(solo.sent())
            requests += classes.count { $0 == .request }
            responses += classes.count { $0 == .successResponse }
        }
        #expect(responses == 1_000)
        #expect(requests <= 64)
        #expect(solo.agent.statistics().candidatePairs.count <= 64)
        #expect(solo.agent.statistics().remoteCandidates.count == 64)
        // The paths that data is taken from are bounded with the pairs.
        let accepted = (1...1_000 as ClosedRange<UInt16>).count { port in
            solo.agent.isValid(
                TransportPath(
                    socket: SocketID(1), remote: TransportAddress(ip: IPAddress(192, 0, 2, 9), port: port)))
        }
        #expect(accepted == 64)
    }

    @Test("A peer whose address has changed more often than there is room is still heard: dead paths make way")
    func manyRebindings() {
        var solo = ICESoloAgent(controlling: false)
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.receive(solo.peer.check(to: solo.agent, controlling: true))
        solo.wait(.seconds(1), answering: solo.other)
        func path(_ port: UInt16) -> TransportPath {
            TransportPath(socket: SocketID(1), remote: TransportAddress(ip: IPAddress(192, 0, 2, 9), port: port))
        }
        for port in 1...100 as ClosedRange<UInt16> {
            solo.receive(solo.peer.check(to: solo.agent, controlling: true), from: path(port).remote)
        }
        #expect(solo.agent.statistics().remoteCandidates.count == 64)
        // While the others are still being checked there is no room.
        #expect(!solo.agent.isValid(path(100)))
        // With so many pairs RTO is long; in five minutes the last check has been given up.
        solo.wait(.seconds(300), answering: solo.other)
        solo.receive(solo.peer.check(to: solo.agent, controlling: true), from: path(5_000).remote)
        #expect(solo.sent().contains { $0.to == path(5_000).remote && ICESoloAgent.classes([$0]) == [.request] })
        #expect(solo.agent.isValid(path(5_000)))
        #expect(!solo.agent.isValid(path(1)))
        #expect(solo.agent.selectedPath?.remote == solo.other)
        #expect(solo.agent.statistics().remoteCandidates.count == 64)
    }

    @Test("Refusals of strangers do not take the place of answers to the peer")
    func refusals() throws {
        var solo = ICESoloAgent()
        let stranger = try #require(
            stunMessage(.request, .binding, STUNTransactionID(high: 1, low: 2)) { $0.writeFingerprint() })
        for _ in 0..<1_000 { solo.receive(stranger, from: iceAddress("203.0.113.9:9")) }
        solo.receive(solo.peer.check(to: solo.agent))
        let classes = ICESoloAgent.classes(solo.sent())
        #expect(classes.count { $0 == .errorResponse } == 16)
        #expect(classes.count { $0 == .successResponse } == 1)
    }

    @Test("Answers that the owner does not take do not pile up")
    func undrained() {
        var solo = ICESoloAgent()
        let check = solo.peer.check(to: solo.agent)
        for _ in 0..<10_000 { solo.receive(check) }
        #expect(solo.sent().count == 64)
        #expect(solo.agent.statistics().counters.droppedResponses == 10_000 - 64)
    }

    @Test(
        "Ten thousand random and mutated datagrams do no harm, before and after set-up",
        arguments: 1...4 as ClosedRange<UInt64>)
    func noise(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        let pair = ICETestPair(seed: seed)
        let peer = ICEScriptedPeer()
        var samples = STUNVectors.all
        samples.append(peer.check(to: pair.left.agent))
        samples.append(peer.check(to: pair.left.agent, controlling: true, useCandidate: true))
        func disturb() {
            for _ in 0..<1_250 {
                var bytes = samples[Int(random.next(below: UInt64(samples.count)))]
                switch random.next(below: 4) {
                case 0: bytes = random.bytes(Int(random.next(below: 120)))
                case 1: bytes = Array(bytes.prefix(Int(random.next(below: UInt64(bytes.count)))))
                default:
                    for _ in 0...random.next(below: 3) {
                        bytes[Int(random.next(below: UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
                    }
                }
                let from = TransportAddress(ip: IPAddress(v4: UInt32(truncatingIfNeeded: random.next())), port: 7)
                pair.left.receive(bytes, from: from, on: SocketID(1))
                pair.left.drain()
            }
        }
        disturb()
        #expect(pair.left.statistics.candidatePairs.isEmpty)
        #expect(pair.connect())
        disturb()
        let path = try #require(pair.left.agent.selectedPath)
        #expect(path.remote == iceAddress("192.0.2.2:2000"))
        #expect(pair.left.statistics.candidatePairs.count == 1)
        pair.network.run(for: .seconds(60))
        #expect(pair.left.agent.state == .completed)
    }

    @Test("An idle agent is small")
    func size() {
        // What is stored in line; the arrays of one to four candidates and pairs add less than 3 KiB.
        #expect(MemoryLayout<ICEAgent>.size < 1_024)
    }
}
