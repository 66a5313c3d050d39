import RTCTransport
import RTCWire
import Testing

@Suite("ICE: nomination (RFC 8445, section 8.1)")
struct ICENominationTests {
    /// Answers the checks among `messages` that go to `addresses`.
    private func answer(
        _ solo: inout ICESoloAgent, _ messages: [(bytes: [UInt8], to: TransportAddress)], to addresses: [String]
    ) {
        for message in messages where addresses.map(iceAddress).contains(message.to) {
            if ICESoloAgent.classes([message]) == [.request] {
                solo.receive(solo.peer.answer(message.bytes, mapped: solo.own), from: message.to)
            }
        }
    }

    @Test("With better pairs unfinished, nomination waits for the settling delay; the pair is used before")
    func settling() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.9:9", priority: 200), at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000", priority: 100), at: solo.now)
        var messages = solo.sent()
        solo.wait(.milliseconds(50))
        messages += solo.sent()
        answer(&solo, messages, to: ["192.0.2.2:2000"])
        #expect(solo.agent.selectedPath?.remote == solo.other)
        #expect(!solo.sent().contains { ICESoloAgent.nominates($0.bytes) })
        solo.wait(.milliseconds(99))
        #expect(!solo.sent().contains { ICESoloAgent.nominates($0.bytes) })
        solo.wait(.milliseconds(1))
        let nomination = solo.sent().filter { ICESoloAgent.nominates($0.bytes) }
        #expect(nomination.map(\.to) == [solo.other])
        #expect(!solo.agent.statistics().candidatePairs.contains { $0.nominated })
        answer(&solo, nomination, to: ["192.0.2.2:2000"])
        #expect(solo.agent.statistics().candidatePairs.filter(\.nominated).map(\.path.remote) == [solo.other])
    }

    @Test("A nomination that is not answered is repeated, and passes to another pair when its own dies")
    func unanswered() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000", priority: 200), at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.3:3000", priority: 100), at: solo.now)
        var messages = solo.sent()
        solo.wait(.milliseconds(50))
        messages += solo.sent()
        answer(&solo, messages, to: ["192.0.2.2:2000", "192.0.2.3:3000"])
        var nominated: [String] = []
        for _ in 0..<200 {
            let messages = solo.sent()
            nominated += messages.filter { ICESoloAgent.nominates($0.bytes) }.map(\.to.description)
            answer(&solo, messages, to: ["192.0.2.3:3000"])
            solo.wait(.milliseconds(50))
        }
        #expect(nominated.count { $0 == "192.0.2.2:2000" } >= 3)
        #expect(nominated.last == "192.0.2.3:3000")
        #expect(solo.agent.selectedPath?.remote == iceAddress("192.0.2.3:3000"))
    }

    @Test("Controlled: the peer's nomination counts as soon as our own check has succeeded")
    func controlled() throws {
        var solo = ICESoloAgent(controlling: false)
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.receive(solo.peer.check(to: solo.agent, controlling: true, useCandidate: true))
        #expect(!solo.agent.statistics().candidatePairs.contains { $0.nominated })
        let sent = solo.sent()
        #expect(!sent.contains { ICESoloAgent.nominates($0.bytes) })
        answer(&solo, sent, to: ["192.0.2.2:2000"])
        #expect(solo.agent.statistics().candidatePairs.map(\.nominated) == [true])
    }

    @Test("Controlled by a peer of RFC 5245's aggressive kind: of all that it nominates the best pair counts")
    func aggressive() {
        var solo = ICESoloAgent(controlling: false)
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        for (port, priority) in [(1, 500), (2, 900), (3, 100)] as [(UInt16, UInt32)] {
            let from = TransportAddress(ip: IPAddress(192, 0, 2, 50), port: port)
            solo.receive(
                solo.peer.check(to: solo.agent, priority: priority, controlling: true, useCandidate: true), from: from)
        }
        answer(&solo, solo.sent(), to: ["192.0.2.50:3", "192.0.2.50:1", "192.0.2.50:2"])
        #expect(solo.agent.selectedPath?.remote.port == 2)
        #expect(solo.agent.statistics().candidatePairs.filter(\.nominated).map(\.path.remote.port) == [2])
        // Later the peer changes its mind, and goes on with a pair of lower priority.
        solo.wait(.seconds(3))
        solo.receive(
            solo.peer.check(to: solo.agent, priority: 500, controlling: true, useCandidate: true),
            from: iceAddress("192.0.2.50:1"))
        #expect(solo.agent.selectedPath?.remote.port == 1)
    }

    @Test("A lite peer: we control, whatever was agreed, and it never checks")
    func lite() {
        var solo = ICESoloAgent(controlling: false)
        solo.agent.setRemote(solo.peer.credentials, isLite: true, at: solo.now)
        #expect(solo.agent.isControlling)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000"), at: solo.now)
        answer(&solo, solo.sent(), to: ["192.0.2.2:2000"])
        let nomination = solo.sent()
        #expect(nomination.map { ICESoloAgent.nominates($0.bytes) } == [true])
        answer(&solo, nomination, to: ["192.0.2.2:2000"])
        solo.agent.endOfRemoteCandidates(at: solo.now)
        #expect(solo.agent.state == .completed)
        // It stays so for as long as consent is answered.
        for _ in 0..<600 {
            solo.wait(.milliseconds(100))
            answer(&solo, solo.sent(), to: ["192.0.2.2:2000"])
        }
        #expect(solo.agent.state == .completed)
        solo.agent.setControlling(false)
        #expect(solo.agent.isControlling)
    }
}
