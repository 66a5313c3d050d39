import RTCTransport
import RTCWire
import Testing

@Suite("ICE: remote candidates")
struct ICERemoteCandidateTests {
    private func named(_ name: String, port: UInt16 = 2_000) -> ICECandidate {
        ICECandidate(foundation: "1", priority: 2_130_706_431, address: .name(name), port: port, type: .host)
    }

    @Test("A .local name is resolved by the owner, once, and then checked")
    func mDNS() {
        let pair = ICETestPair()
        pair.network.names["abc-1.local"] = [IPAddress(192, 0, 2, 2)]
        pair.right.trickles = false
        pair.gather()
        pair.exchangeCredentials()
        for port in [2_000, 2_001] as [UInt16] {
            pair.left.agent.addRemoteCandidate(named("ABC-1.local", port: port), at: pair.network.now)
        }
        pair.left.agent.endOfRemoteCandidates(at: pair.network.now)
        #expect(pair.network.run(for: .seconds(1)) { pair.left.hasNominated })
        let resolve = pair.left.events.filter { if case .resolve = $0.event { true } else { false } }
        #expect(resolve.map(\.event) == [.resolve(name: "abc-1.local")])
        // The name is what statistics show, as in a browser.
        #expect(pair.left.statistics.remoteCandidates.first?.candidate.address == .name("ABC-1.local"))
    }

    @Test("A name that does not resolve is forgotten; one with several addresses gives several pairs")
    func names() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(named("gone.local"), at: solo.now)
        #expect(solo.agent.statistics().remoteCandidates.count == 1)
        solo.agent.resolved(name: "gone.local", to: [], at: solo.now)
        #expect(solo.agent.statistics().remoteCandidates.isEmpty)
        solo.agent.addRemoteCandidate(named("many.local"), at: solo.now)
        solo.agent.resolved(
            name: "Many.Local", to: (1...9).map { IPAddress(192, 0, 2, $0 + 100) }, at: solo.now)
        #expect(solo.agent.statistics().candidatePairs.count == 4)
        // An answer that nobody asked for.
        solo.agent.resolved(name: "many.local", to: [IPAddress(192, 0, 2, 99)], at: solo.now)
        #expect(solo.agent.statistics().candidatePairs.count == 4)
    }

    @Test("A check that comes before its name is resolved is not another candidate for long")
    func nameAfterCheck() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(named("abc.local"), at: solo.now)
        solo.receive(solo.peer.check(to: solo.agent))
        #expect(solo.agent.statistics().remoteCandidates.map(\.candidate.type) == [.host, .peerReflexive])
        solo.agent.resolved(name: "abc.local", to: [IPAddress(192, 0, 2, 2)], at: solo.now)
        #expect(solo.agent.statistics().remoteCandidates.map(\.candidate.type) == [.host])
        #expect(solo.agent.statistics().candidatePairs.count == 1)
    }

    @Test("Candidates that cannot be used are counted and forgotten")
    func unusable() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        let bad = [
            "candidate:1 2 udp 1 192.0.2.2 2000 typ host", "candidate:1 1 udp 1 192.0.2.2 0 typ host",
            "candidate:1 1 udp 1 0.0.0.0 9 typ host", "candidate:1 1 udp 1 224.0.0.1 9 typ host",
            "candidate:1 1 udp 1 255.255.255.255 9 typ host", "candidate:1 1 udp 1 ff02::1 9 typ host",
            "candidate:1 1 udp 1 ::ffff:192.0.2.2 9 typ host", "candidate:1 1 udp 1 example.org 9 typ host",
            "candidate:1 1 udp 1 .local 9 typ host", "candidate:1 1 udp 1 :: 9 typ host",
        ].compactMap { try? ICECandidate(parsing: $0) }
        #expect(bad.count == 10)
        for candidate in bad { solo.agent.addRemoteCandidate(candidate, at: solo.now) }
        #expect(solo.agent.statistics().remoteCandidates.isEmpty)
        #expect(solo.agent.statistics().counters.droppedCandidates == 10)
        #expect(solo.sent().isEmpty)
    }

    @Test("Who is on this machine and proves it is answered and checked, signalled or not")
    func loopbackPeer() {
        let loopback = iceAddress("127.0.0.1:2000")
        for isSignalled in [false, true] {
            var solo = ICESoloAgent()
            solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
            if isSignalled {
                solo.agent.addRemoteCandidate(
                    ICECandidate(
                        foundation: "1", priority: 1, address: .ip(loopback.ip), port: loopback.port, type: .host),
                    at: solo.now)
            }
            #expect(solo.sent().isEmpty)
            solo.receive(solo.peer.check(to: solo.agent), from: loopback)
            solo.wait(.milliseconds(100))
            let sent = solo.sent()
            #expect(ICESoloAgent.classes(sent).contains(.request) && sent.allSatisfy { $0.to == loopback })
        }
    }

    @Test("TCP candidates are kept and not checked; the same address twice is one candidate")
    func kept() throws {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        for line in [
            "candidate:1 1 tcp 1 192.0.2.2 9 typ host tcptype active", "candidate:2 1 udp 5 192.0.2.2 2000 typ host",
            "candidate:3 1 udp 4 192.0.2.2 2000 typ srflx raddr 192.0.2.2 rport 2000",
        ] {
            solo.agent.addRemoteCandidate(try ICECandidate(parsing: line), at: solo.now)
        }
        #expect(solo.agent.statistics().remoteCandidates.map(\.candidate.transport) == [.tcp, .udp])
        #expect(solo.agent.statistics().candidatePairs.count == 1)
    }

    @Test("Candidates of a description to come are held for it, and taken when it comes")
    func heldByFragment() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        var candidate = solo.hostCandidate("192.0.2.2:2000")
        candidate.usernameFragment = "nextFRAG"
        solo.agent.addRemoteCandidate(candidate, at: solo.now)
        #expect(solo.agent.statistics().remoteCandidates.isEmpty)
        solo.agent.restart(at: solo.now)
        solo.agent.setRemote(
            ICECredentials(usernameFragment: "nextFRAG", password: "nextpasswordnextpassword"), isLite: false,
            at: solo.now)
        #expect(solo.agent.statistics().candidatePairs.count == 1)
    }
}
