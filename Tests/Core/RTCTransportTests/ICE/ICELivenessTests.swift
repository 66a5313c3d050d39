import RTCTransport
import RTCWire
import Testing

@Suite("ICE: a selected pair that falls silent while packets flow")
struct ICELivenessTests {
    private let wired = iceAddress("192.0.2.1:1000")
    private let cellular = iceAddress("198.51.100.1:1000")
    private let right = iceAddress("192.0.2.2:2000")

    private func twoPaths(seed: UInt64 = 1, leftControls: Bool = true) -> ICETestPair {
        let pair = ICETestPair(seed: seed, sockets: false, leftControls: leftControls, rightControls: !leftControls)
        pair.left.addSocket(1, "192.0.2.1:1000", kind: .wired)
        pair.left.addSocket(2, "198.51.100.1:1000", kind: .cellular)
        pair.right.addSocket(1, "192.0.2.2:2000", kind: .wired)
        return pair
    }

    /// Lets both send every 20 ms.
    @discardableResult
    private func talk(_ pair: ICETestPair, for time: TimeDelta, until isDone: () -> Bool = { false }) -> Bool {
        let end = pair.network.now + time
        while pair.network.now < end {
            pair.left.sendData([100])
            pair.right.sendData([101])
            if pair.network.run(for: .milliseconds(20), until: isDone) { return true }
        }
        return false
    }

    private func backups(_ node: ICETestNode) -> [ICEBackup?] {
        node.events.compactMap { if case .backup(let backup) = $0.event { .some(backup) } else { nil } }
    }

    private func isMoved(_ pair: ICETestPair) -> Bool {
        pair.left.agent.selectedPath?.socket == SocketID(2) && pair.right.agent.selectedPath?.remote == cellular
    }

    @Test(
        "Dead in both directions or in one: doubted within 150 ms, replaced after two seconds, and nominated",
        arguments: [true, false], [0, 1, 2])
    func death(leftControls: Bool, direction: Int) throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            let pair = twoPaths(seed: seed, leftControls: leftControls)
            #expect(pair.connect())
            talk(pair, for: .seconds(Int64(3 + seed)))
            #expect(pair.left.agent.selectedPath?.socket == SocketID(1))
            let diesAt = pair.network.now
            pair.network.isBlocked = { [wired] from, to in
                from == wired && direction != 1 || to == wired && direction != 2
            }
            let doubted = talk(pair, for: .seconds(1)) {
                direction == 1 || pair.right.agent.backup != nil
            }
            #expect(doubted && pair.network.now - diesAt <= .milliseconds(150), "\(direction), \(seed)")
            #expect(talk(pair, for: .seconds(3)) { isMoved(pair) }, "\(direction), \(seed)")
            let took = pair.network.now - diesAt
            let isInTime = took > .milliseconds(1_700) && took < .milliseconds(2_300)
            #expect(isInTime, "\(direction), \(seed): \(took.milliseconds)")
            #expect(!pair.left.states.contains(.disconnected) && !pair.right.states.contains(.disconnected))
            #expect(pair.left.agent.backup == nil && pair.right.agent.backup == nil)
            talk(pair, for: .seconds(1))
            #expect(pair.left.hasNominated && pair.right.hasNominated)
            talk(pair, for: .seconds(60))
            #expect(isMoved(pair) && pair.left.isConnected && pair.right.isConnected)
        }
    }

    @Test(
        "A stall of a second moves nothing, and copies cease when it is over", arguments: [200, 600, 1_000] as [Int64])
    func stall(milliseconds: Int64) {
        let pair = twoPaths()
        #expect(pair.connect())
        talk(pair, for: .seconds(5))
        for _ in 0..<5 {
            pair.network.isBlocked = { [wired] from, to in from == wired || to == wired }
            talk(pair, for: .milliseconds(milliseconds))
            #expect(pair.left.agent.backup?.path.socket == SocketID(2))
            pair.network.isBlocked = { _, _ in false }
            talk(pair, for: .milliseconds(300))
            #expect(pair.left.agent.backup == nil && pair.right.agent.backup == nil)
            talk(pair, for: .seconds(3))
        }
        #expect(pair.left.agent.selectedPath?.socket == SocketID(1))
        #expect(pair.left.statistics.selectedCandidatePairChanges == 1)
        #expect(pair.right.statistics.selectedCandidatePairChanges == 1)
    }

    @Test("Pictures are copied only when the doubt is deep and the other path answers")
    func depth() {
        let pair = twoPaths()
        #expect(pair.connect())
        talk(pair, for: .seconds(5))
        pair.network.isBlocked = { [wired] from, to in from == wired || to == wired }
        talk(pair, for: .milliseconds(400))
        let other = TransportPath(socket: SocketID(2), remote: right)
        #expect(pair.left.agent.backup == ICEBackup(path: other, copiesVideo: false))
        talk(pair, for: .milliseconds(300))
        #expect(pair.left.agent.backup == ICEBackup(path: other, copiesVideo: true))
        #expect(pair.left.agent.selectedPath?.socket == SocketID(1))
    }

    @Test("Where every path is silent nothing moves, and it is connected again at once")
    func allSilent() {
        let pair = twoPaths()
        #expect(pair.connect())
        talk(pair, for: .seconds(5))
        pair.network.isBlocked = { _, _ in true }
        talk(pair, for: .seconds(3))
        #expect(pair.left.agent.selectedPath?.socket == SocketID(1))
        #expect(!(pair.left.agent.backup?.copiesVideo ?? false))
        pair.network.isBlocked = { _, _ in false }
        talk(pair, for: .seconds(1))
        #expect(pair.left.agent.selectedPath?.socket == SocketID(1) && pair.left.agent.backup == nil)
        #expect(pair.left.states == [.checking, .connected, .completed])
    }

    @Test("A path that comes back is taken again after a while")
    func comesBack() {
        let pair = twoPaths()
        #expect(pair.connect())
        talk(pair, for: .seconds(5))
        pair.network.isBlocked = { [wired] from, to in from == wired || to == wired }
        #expect(talk(pair, for: .seconds(3)) { isMoved(pair) })
        talk(pair, for: .seconds(5))
        pair.network.isBlocked = { _, _ in false }
        let backAt = pair.network.now
        #expect(talk(pair, for: .seconds(40)) { pair.left.agent.selectedPath?.socket == SocketID(1) })
        #expect(pair.network.now - backAt >= .seconds(10))
        talk(pair, for: .seconds(1))
        #expect(pair.right.agent.selectedPath?.remote == wired)
    }

    @Test("A minute of a call that goes well costs a check every two seconds on the replacement, and no doubt")
    func cost() throws {
        let pair = twoPaths()
        #expect(pair.connect())
        talk(pair, for: .seconds(5))
        let before = pair.left.statistics.candidatePairs
        talk(pair, for: .seconds(60))
        let after = pair.left.statistics.candidatePairs
        let sent = after.map { pair in
            (pair.path.socket, pair.requestsSent - (before.first { $0.id == pair.id }?.requestsSent ?? 0))
        }
        let selected = try #require(sent.first { $0.0 == SocketID(1) }).1
        let replacement = try #require(sent.first { $0.0 == SocketID(2) }).1
        #expect(selected >= 9 && selected <= 16, "\(selected)")
        #expect(replacement >= 19 && replacement <= 32, "\(replacement)")
        #expect(backups(pair.left).isEmpty && backups(pair.right).isEmpty)
    }

    @Test("Without traffic, replacements are asked as rarely as ever")
    func idle() throws {
        let pair = twoPaths()
        #expect(pair.connect())
        talk(pair, for: .seconds(2))
        pair.network.run(for: .seconds(30))
        let before = try #require(pair.left.statistics.candidatePairs.first { $0.path.socket == SocketID(2) })
        pair.network.run(for: .seconds(60))
        let after = try #require(pair.left.statistics.candidatePairs.first { $0.path.socket == SocketID(2) })
        #expect(after.requestsSent - before.requestsSent <= 6)
        #expect(pair.left.statistics.selectedCandidatePairChanges == 1)
    }

    @Test("One path alone is never doubted: there is nothing to be gained")
    func alone() {
        let pair = ICETestPair()
        #expect(pair.connect())
        talk(pair, for: .seconds(5))
        let sent = pair.left.sent
        pair.network.isBlocked = { _, _ in true }
        pair.network.run(for: .seconds(2))
        #expect(pair.left.sent - sent <= 5)
        #expect(backups(pair.left).isEmpty)
    }

    @Test("A peer of another kind: the replacement is nominated to it, as RFC 8445's agents take it")
    func foreignPeer() {
        var solo = ICESoloAgent()
        let other = iceAddress("198.51.100.9:9000")
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000", priority: 200), at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("198.51.100.9:9000", priority: 100), at: solo.now)
        var nominated: [TransportAddress] = []
        func step(answering: [TransportAddress], arrives: Bool) {
            solo.wait(.milliseconds(20))
            for message in solo.sent() {
                if ICESoloAgent.nominates(message.bytes) { nominated.append(message.to) }
                guard answering.contains(message.to), ICESoloAgent.classes([message]) == [.request] else { continue }
                solo.receive(solo.peer.answer(message.bytes, mapped: solo.own), from: message.to)
            }
            guard arrives, let path = solo.agent.selectedPath else { return }
            solo.agent.noteArrival(on: path, at: solo.now)
        }
        for _ in 0..<200 { step(answering: [solo.other, other], arrives: true) }
        #expect(solo.agent.selectedPath?.remote == solo.other && nominated == [solo.other])
        let diesAt = solo.now
        while solo.agent.selectedPath?.remote != other, solo.now < diesAt + .seconds(5) {
            step(answering: [other], arrives: false)
        }
        #expect(solo.now - diesAt > .milliseconds(1_700) && solo.now - diesAt < .milliseconds(2_300))
        for _ in 0..<5 { step(answering: [other], arrives: true) }
        #expect(nominated.last == other)
        #expect(solo.agent.statistics().candidatePairs.filter(\.nominated).map(\.path.remote) == [other])
    }
}
