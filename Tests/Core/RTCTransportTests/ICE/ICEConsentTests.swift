import RTCTransport
import RTCWire
import Testing

@Suite("ICE: consent, disconnected, failed (RFC 7675)")
struct ICEConsentTests {
    @Test("Consent is asked for every 4 to 6 s on both sides, at random")
    func interval() throws {
        let pair = ICETestPair()
        #expect(pair.connect())
        pair.network.run(for: .seconds(2))
        var times: [Instant] = []
        var sent = pair.left.statistics.candidatePairs[0].consentRequestsSent
        pair.network.run(for: .seconds(300)) {
            let now = pair.left.statistics.candidatePairs[0].consentRequestsSent
            if now != sent { times.append(pair.network.now) }
            sent = now
            return false
        }
        let waits = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(waits.count > 50)
        #expect(waits.allSatisfy { $0 >= .seconds(4) && $0 <= .milliseconds(6_020) })
        #expect(Set(waits).count > 40)
        let longest = try #require(waits.max())
        let shortest = try #require(waits.min())
        #expect(longest - shortest > .seconds(1))
        #expect(pair.left.states == [.checking, .connected, .completed])
    }

    @Test(
        "A dead path: disconnected 5 to 9 s after the last answer, failed when consent expires after 30 s",
        arguments: 1...20 as ClosedRange<UInt64>)
    func death(seed: UInt64) throws {
        let pair = ICETestPair(seed: seed)
        #expect(pair.connect())
        pair.network.run(for: .seconds(Int64(20 + seed)))
        let diesAt = pair.network.now
        pair.network.isBlocked = { _, _ in true }
        #expect(pair.network.run(for: .seconds(40)) { pair.left.agent.state == .failed })
        let disconnected = try #require(pair.left.time(of: .disconnected)) - diesAt
        let failed = try #require(pair.left.time(of: .failed)) - diesAt
        // The last answer was up to 6 s before the path died.
        #expect(disconnected > .milliseconds(1_500) && disconnected <= .seconds(9))
        #expect(failed > .seconds(23) && failed <= .seconds(30))
        #expect(pair.left.states == [.checking, .connected, .completed, .disconnected, .failed])
        // RFC 7675, section 5.1: without consent nothing may be sent.
        #expect(pair.left.agent.selectedPath == nil)
        let sent = pair.left.sent
        pair.network.run(for: .seconds(60))
        #expect(pair.left.sent == sent)
    }

    @Test("A path that comes back within 30 s is connected again")
    func recovery() {
        let pair = ICETestPair()
        #expect(pair.connect())
        pair.network.isBlocked = { _, _ in true }
        #expect(pair.network.run(for: .seconds(10)) { pair.left.agent.state == .disconnected })
        pair.network.isBlocked = { _, _ in false }
        #expect(pair.network.run(for: .seconds(2)) { pair.left.isConnected })
        #expect(pair.left.agent.selectedPath != nil)
        pair.network.run(for: .seconds(60))
        #expect(pair.left.states == [.checking, .connected, .completed, .disconnected, .completed])
    }

    @Test("Requests of the peer's alone do not refresh consent: one direction is not enough")
    func oneWay() {
        let pair = ICETestPair()
        #expect(pair.connect())
        let right = iceAddress("192.0.2.2:2000")
        pair.network.isBlocked = { from, _ in from == right }
        #expect(pair.network.run(for: .seconds(40)) { pair.left.agent.state == .failed })
    }

    @Test("In failed, data is taken from nobody")
    func failedTakesNothing() throws {
        let pair = ICETestPair()
        #expect(pair.connect())
        let path = try #require(pair.left.agent.selectedPath)
        #expect(pair.left.agent.isValid(path))
        pair.network.isBlocked = { _, _ in true }
        #expect(pair.network.run(for: .seconds(40)) { pair.left.agent.state == .failed })
        #expect(!pair.left.agent.isValid(path))
    }

    @Test("A pair that has lost its consent is answered, and not checked again before a restart (section 5.1)")
    func lost() {
        var solo = ICESoloAgent(controlling: false)
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.receive(solo.peer.check(to: solo.agent, controlling: true, useCandidate: true))
        solo.wait(.milliseconds(500), answering: solo.other)
        #expect(solo.agent.selectedPath?.remote == solo.other)
        solo.wait(.seconds(25))
        // Another candidate, so that the agent still searches when consent has expired.
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.77:7"), at: solo.now)
        solo.wait(.seconds(10))
        #expect(solo.agent.state == .checking)
        _ = solo.sent()
        solo.receive(solo.peer.check(to: solo.agent, controlling: true, useCandidate: true))
        #expect(ICESoloAgent.classes(solo.sent().filter { $0.to == solo.other }) == [.successResponse])
        #expect(solo.agent.statistics().candidatePairs.map(\.state) == [.failed, .inProgress])
    }

    @Test("403 under the peer's password takes consent back at once (section 5.2); one of a stranger's does not")
    func revoked() throws {
        var solo = ICESoloAgent(controlling: false)
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.receive(solo.peer.check(to: solo.agent, controlling: true, useCandidate: true))
        solo.wait(.milliseconds(500), answering: solo.other)
        #expect(solo.agent.selectedPath?.remote == solo.other)
        solo.wait(.seconds(6))
        let question = try #require(solo.sent().last).bytes
        solo.receive(solo.peer.refuse(question, .forbidden, password: "not the right one"))
        #expect(solo.agent.selectedPath?.remote == solo.other)
        solo.receive(solo.peer.refuse(question, .forbidden))
        #expect(solo.agent.selectedPath == nil)
        solo.receive(solo.peer.check(to: solo.agent, controlling: true, useCandidate: true))
        #expect(ICESoloAgent.classes(solo.sent()) == [.successResponse])
    }

    @Test("No valid pair: failed 30 s after the last candidate, patiently (RFC 8863)")
    func patience() {
        let pair = ICETestPair()
        pair.network.isBlocked = { _, _ in true }
        pair.gather()
        pair.exchangeCredentials()
        pair.network.run(for: .seconds(20))
        pair.left.agent.addRemoteCandidate(
            ICECandidate(foundation: "9", priority: 1, address: .ip(IPAddress(192, 0, 2, 99)), port: 9, type: .host),
            at: pair.network.now)
        pair.network.run(for: .seconds(100)) { pair.left.agent.state == .failed }
        #expect(pair.left.time(of: .failed) == .zero + .seconds(50))
        #expect(pair.right.time(of: .failed) == .zero + .seconds(30))
    }

    @Test("A peer without any candidate: failed 30 s after the end of its candidates")
    func noCandidates() {
        let pair = ICETestPair(sockets: false)
        pair.left.addSocket(1, "192.0.2.1:1000")
        pair.gather()
        pair.exchangeCredentials()
        pair.network.run(for: .seconds(100))
        #expect(pair.left.states == [.checking, .failed])
        #expect(pair.left.time(of: .failed) == .zero + .seconds(30))
    }

    @Test("Waiting for candidates that are signalled by hand is no failure")
    func byHand() {
        let pair = ICETestPair()
        pair.left.trickles = false
        pair.right.trickles = false
        pair.gather()
        pair.exchangeCredentials()
        pair.network.run(for: .seconds(300))
        #expect(pair.left.agent.state == .new)
        for candidate in pair.left.candidates { pair.right.agent.addRemoteCandidate(candidate, at: pair.network.now) }
        #expect(pair.network.run(for: .seconds(1)) { pair.left.hasNominated && pair.right.hasNominated })
    }
}
