import RTCTransport
import RTCWire
import Testing

@Suite("ICE: checks before the description")
struct ICEEarlyCheckTests {
    @Test("They are answered at once, and their path is the peer's as soon as the description says whose they were")
    func used() {
        var solo = ICESoloAgent(controlling: false)
        solo.receive(solo.peer.check(to: solo.agent, controlling: true, useCandidate: true))
        #expect(ICESoloAgent.classes(solo.sent()) == [.successResponse])
        let path = TransportPath(socket: SocketID(1), remote: solo.other)
        #expect(!solo.agent.isValid(path), "another device may answer first")
        #expect(solo.agent.state == .new)
        #expect(solo.agent.statistics().candidatePairs.isEmpty)

        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        #expect(solo.agent.state == .checking)
        #expect(solo.agent.isValid(path))
        let sent = solo.sent()
        #expect(ICESoloAgent.classes(sent) == [.request])
        solo.receive(solo.peer.answer(sent[0].bytes, mapped: solo.own))
        #expect(solo.agent.statistics().candidatePairs.map(\.nominated) == [true])
        #expect(solo.agent.statistics().remoteCandidates.map(\.candidate.type) == [.peerReflexive])
    }

    @Test("Those of somebody else are kept apart, and only sixteen of all")
    func bounded() {
        var solo = ICESoloAgent(controlling: false)
        var stranger = solo.peer
        stranger.credentials.usernameFragment = "stranger"
        for port in 1...1_000 as ClosedRange<UInt16> {
            let check = port % 2 == 0 ? solo.peer.check(to: solo.agent) : stranger.check(to: solo.agent)
            solo.receive(check, from: TransportAddress(ip: IPAddress(192, 0, 2, 9), port: port))
        }
        // More than 64 answers do not wait: the owner drains after each datagram.
        #expect(solo.sent().count == 64)
        let counters = solo.agent.statistics().counters
        #expect(counters.droppedEarlyChecks == 984)
        #expect(counters.droppedResponses == 936)
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        #expect(solo.agent.statistics().candidatePairs.count == 8)
    }

    @Test("The path of a device whose answer came too late is never the peer's")
    func otherDevice() {
        var solo = ICESoloAgent(controlling: true)
        var late = solo.peer
        late.credentials.usernameFragment = "late"
        let address = TransportAddress(ip: IPAddress(192, 0, 2, 9), port: 9)
        solo.receive(late.check(to: solo.agent, controlling: false), from: address)
        solo.receive(solo.peer.check(to: solo.agent, controlling: false))
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.receive(late.check(to: solo.agent, controlling: false), from: address)
        #expect(solo.agent.isValid(TransportPath(socket: SocketID(1), remote: solo.other)))
        #expect(!solo.agent.isValid(TransportPath(socket: SocketID(1), remote: address)))
    }

    @Test("The whole set-up when one description is late: one round trip after it has come")
    func lateAnswer() {
        let pair = ICETestPair()
        pair.gather()
        let network = pair.network
        // The right side has the offer; the answer is still on its way to the left.
        pair.right.agent.setRemote(pair.left.agent.localCredentials, isLite: false, at: network.now)
        network.run(for: .milliseconds(200))
        #expect(pair.right.agent.state == .connected)
        #expect(pair.left.agent.state == .new)
        pair.left.agent.setRemote(pair.right.agent.localCredentials, isLite: false, at: network.now)
        #expect(network.run(for: .milliseconds(20)) { pair.left.isConnected })
        #expect(network.run(for: .milliseconds(20)) { pair.left.hasNominated && pair.right.hasNominated })
    }

    @Test("An agent that has not gathered yet says nothing")
    func notGathered() {
        var solo = ICESoloAgent(controlling: false, gathers: false)
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000"), at: solo.now)
        #expect(solo.sent().isEmpty)
        solo.agent.startGathering(at: solo.now)
        #expect(ICESoloAgent.classes(solo.sent()) == [.request])
    }
}
