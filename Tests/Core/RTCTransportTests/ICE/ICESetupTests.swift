import RTCTransport
import RTCWire
import Testing

@Suite("ICE: set-up")
struct ICESetupTests {
    @Test("One round trip to a usable pair, two to a nominated one, and no timer in between")
    func roundTrips() {
        let pair = ICETestPair()
        #expect(pair.connect())
        #expect(pair.left.time(of: .connected) == .zero + .milliseconds(20))
        #expect(pair.right.time(of: .connected) == .zero + .milliseconds(20))
        #expect(pair.network.now <= .zero + .milliseconds(40))
        let socket = SocketID(1)
        #expect(
            pair.left.agent.selectedPath == TransportPath(socket: socket, remote: iceAddress("192.0.2.2:2000")))
        #expect(
            pair.right.agent.selectedPath == TransportPath(socket: socket, remote: iceAddress("192.0.2.1:1000")))
        pair.network.run(for: .seconds(1))
        #expect(pair.left.agent.state == .completed)
        #expect(pair.right.agent.state == .completed)
        #expect(pair.left.states == [.checking, .connected, .completed])
        #expect(pair.left.agent.currentRoundTripTime == .milliseconds(20))
    }

    @Test("With three sockets a side the best pair is nominated without waiting for the others")
    func severalSockets() {
        let pair = ICETestPair(sockets: false)
        for (index, kind) in [ICEInterfaceKind.cellular, .wifi, .wired].enumerated() {
            pair.left.addSocket(UInt32(index + 1), "192.0.2.1\(index):1000", kind: kind)
            pair.right.addSocket(UInt32(index + 1), "192.0.2.2\(index):2000", kind: kind)
        }
        #expect(pair.connect())
        #expect(pair.network.now <= .zero + .milliseconds(60))
        #expect(pair.left.agent.selectedPath?.remote == iceAddress("192.0.2.22:2000"))
        #expect(pair.left.agent.selectedPath?.socket == SocketID(3))
        #expect(pair.right.agent.selectedPath?.remote == iceAddress("192.0.2.12:1000"))
        pair.network.run(for: .seconds(5))
        #expect(pair.left.statistics.candidatePairs.count == 9)
        #expect(pair.left.statistics.candidatePairs.allSatisfy { $0.state == .succeeded })
    }

    @Test("When the best pair is dead the next is usable at once and nominated after the settling delay")
    func settling() throws {
        let pair = ICETestPair(sockets: false)
        pair.left.addSocket(1, "192.0.2.1:1000", kind: .wired)
        pair.left.addSocket(2, "[2001:db8::1]:1000", kind: .wired)
        pair.right.addSocket(1, "192.0.2.2:2000", kind: .wired)
        pair.right.addSocket(2, "[2001:db8::2]:2000", kind: .wired)
        pair.network.isBlocked = { from, _ in from.ip.isIPv6 }
        #expect(pair.connect())
        // 50 ms of pacing to the second pair, a round trip, the delay, a round trip.
        let connected = try #require(pair.left.time(of: .connected))
        #expect(connected <= .zero + .milliseconds(80))
        #expect(pair.network.now <= .zero + .milliseconds(200))
        #expect(pair.left.agent.selectedPath?.remote == iceAddress("192.0.2.2:2000"))
    }

    @Test("Candidates trickle in one by one, before and after the credentials")
    func trickle() {
        let pair = ICETestPair()
        pair.left.trickles = false
        pair.right.trickles = false
        pair.gather()
        #expect(pair.left.candidates.count == 1)
        for candidate in pair.left.candidates { pair.right.agent.addRemoteCandidate(candidate, at: pair.network.now) }
        #expect(pair.right.agent.state == .new)
        pair.exchangeCredentials()
        #expect(pair.right.agent.state == .checking)
        #expect(pair.left.agent.state == .new)
        // The left side never hears of a candidate: the right side's checks are enough.
        pair.network.run(for: .seconds(1)) { pair.left.hasNominated && pair.right.hasNominated }
        #expect(pair.left.isConnected)
        let remote = pair.left.statistics.remoteCandidates
        #expect(remote.map(\.candidate.type) == [.peerReflexive])
        // When the candidate is signalled after all, the pair stays and its candidate is what it is.
        for candidate in pair.right.candidates { pair.left.agent.addRemoteCandidate(candidate, at: pair.network.now) }
        #expect(pair.left.statistics.remoteCandidates.map(\.candidate.type) == [.host])
        #expect(pair.left.statistics.remoteCandidates.map(\.id) == remote.map(\.id))
        #expect(pair.left.statistics.candidatePairs.count == 1)
        // Without the end of candidates nothing is completed.
        #expect(pair.left.agent.state == .connected)
        pair.left.agent.endOfRemoteCandidates(at: pair.network.now)
        #expect(pair.left.agent.state == .completed)
    }

    @Test("Both families: IPv6 is preferred, and neither waits for all of the other")
    func families() {
        let pair = ICETestPair(sockets: false)
        for index in 1...3 {
            pair.left.addSocket(UInt32(index), "192.0.2.\(index):1000", kind: .wifi)
            pair.left.addSocket(UInt32(index + 10), "[2001:db8::\(index)]:1000", kind: .wifi)
        }
        pair.right.addSocket(1, "192.0.2.77:2000", kind: .wired)
        pair.right.addSocket(2, "[2001:db8::77]:2000", kind: .wired)
        #expect(pair.connect())
        #expect(pair.left.agent.selectedPath?.remote.ip.isIPv6 == true)
        let byPriority = pair.left.candidates.sorted { $0.priority > $1.priority }
        let isIPv6 = byPriority.map { $0.transportAddress?.ip.isIPv6 == true }
        #expect(isIPv6 == [true, false, true, false, true, false])
        #expect(Set(byPriority.map(\.priority)).count == 6)
    }

    @Test("Link-local addresses pair with each other only, in the zone of their interface")
    func linkLocal() throws {
        let pair = ICETestPair(sockets: false)
        var address = iceAddress("[fe80::1]:1000")
        address.ip.zone = 7
        pair.left.agent.addSocket(SocketID(1), address: address, properties: ICESocketProperties(), at: .zero)
        pair.left.addSocket(2, "[2001:db8::1]:1000")
        pair.right.addSocket(1, "[fe80::2]:2000")
        pair.gather()
        pair.exchangeCredentials()
        let paths = pair.left.statistics.candidatePairs.map(\.path)
        let path = try #require(paths.first)
        #expect(paths.count == 1)
        #expect(path.remote.ip.zone == 7)
        #expect(path.socket == SocketID(1))
        #expect(pair.left.candidates.first?.description.contains("fe80::1 1000 typ host") == true)
    }

    @Test("A closed agent is silent")
    func close() {
        let pair = ICETestPair()
        #expect(pair.connect())
        pair.left.agent.close(at: pair.network.now)
        pair.left.drain()
        #expect(pair.left.agent.state == .closed)
        #expect(pair.left.agent.selectedPath == nil)
        #expect(pair.left.agent.nextDeadline == nil)
        let sent = pair.left.sent
        pair.network.run(for: .seconds(20))
        #expect(pair.left.sent == sent)
        #expect(pair.right.agent.state == .disconnected)
    }
}
