import RTCTransport
import RTCWire
import Testing

@Suite("ICE: restart (RFC 8445, section 9)")
struct ICERestartTests {
    @Test("In new: new credentials, and a connection all the same")
    func inNew() {
        let pair = ICETestPair()
        let before = pair.left.agent.localCredentials
        pair.left.agent.restart(at: .zero)
        #expect(pair.left.agent.localCredentials != before)
        #expect(pair.left.agent.state == .new)
        #expect(pair.connect())
    }

    @Test("In checking: the old checks mean nothing any more")
    func inChecking() {
        let pair = ICETestPair()
        pair.gather()
        pair.exchangeCredentials()
        pair.network.run(for: .milliseconds(5))
        #expect(pair.left.agent.state == .checking)
        pair.restart()
        #expect(pair.network.run(for: .seconds(1)) { pair.left.hasNominated && pair.right.hasNominated })
        #expect(pair.left.states.prefix(2) == [.checking, .connected])
    }

    @Test("In connected and completed: data flows on the old pair until the new one is nominated")
    func inCompleted() throws {
        let pair = ICETestPair()
        #expect(pair.connect())
        pair.network.run(for: .seconds(1))
        #expect(pair.left.agent.state == .completed)
        let path = try #require(pair.left.agent.selectedPath)
        let old = pair.left.statistics.selectedCandidatePairID
        let restartedAt = pair.network.now

        // Only the left side has restarted: the offer is on its way.
        pair.left.agent.restart(at: pair.network.now)
        pair.left.agent.endOfSockets(at: pair.network.now)
        #expect(pair.left.agent.state == .connected)
        #expect(pair.left.agent.selectedPath == path)
        #expect(pair.left.agent.isValid(path))
        pair.network.run(for: .seconds(40))
        #expect(pair.left.agent.selectedPath == path)
        #expect(pair.right.agent.state == .completed)

        pair.right.agent.restart(at: pair.network.now)
        pair.right.agent.endOfSockets(at: pair.network.now)
        pair.right.drain()
        pair.exchangeCredentials()
        #expect(pair.left.agent.selectedPath == path)
        pair.network.run(for: .seconds(1)) { pair.left.statistics.selectedCandidatePairID != old }
        #expect(pair.left.agent.selectedPath == path)
        pair.network.run(for: .seconds(1))
        #expect(pair.left.agent.state == .completed)
        // The path never went away, so nobody was told of another.
        #expect(!pair.left.events.contains { $0.time > restartedAt && $0.event == .selectedPath(nil) })
        // The generation before is forgotten after its time.
        #expect(pair.left.statistics.candidatePairs.count == 2)
        pair.network.run(for: .seconds(31))
        #expect(pair.left.statistics.candidatePairs.count == 1)
        #expect(pair.left.agent.isValid(path))
        #expect(pair.left.isConnected && pair.right.isConnected)
    }

    @Test("To another path: both paths are valid while the change is going on")
    func toAnotherPath() throws {
        let pair = ICETestPair()
        #expect(pair.connect())
        let oldPath = try #require(pair.left.agent.selectedPath)
        pair.right.addSocket(2, "192.0.2.3:3000", kind: .wired)
        pair.right.removeSocket(SocketID(1))
        pair.restart()
        #expect(pair.left.agent.selectedPath == oldPath)
        #expect(pair.network.run(for: .seconds(5)) { pair.left.agent.selectedPath?.remote.port == 3_000 })
        #expect(pair.left.agent.isValid(oldPath))
        #expect(pair.network.run(for: .seconds(5)) { pair.right.hasNominated })
    }

    @Test("In disconnected: the state is checking, then connected")
    func inDisconnected() {
        let pair = ICETestPair()
        #expect(pair.connect())
        pair.network.isBlocked = { _, _ in true }
        #expect(pair.network.run(for: .seconds(10)) { pair.left.agent.state == .disconnected })
        pair.network.isBlocked = { _, _ in false }
        pair.restart()
        #expect(pair.left.agent.state == .checking)
        #expect(pair.network.run(for: .seconds(5)) { pair.left.isConnected && pair.right.isConnected })
        pair.network.run(for: .seconds(1))
        #expect(pair.left.hasNominated && pair.right.hasNominated)
    }

    @Test("In failed: the only way out")
    func inFailed() {
        let pair = ICETestPair()
        #expect(pair.connect())
        pair.network.isBlocked = { _, _ in true }
        #expect(
            pair.network.run(for: .seconds(60)) {
                pair.left.agent.state == .failed && pair.right.agent.state == .failed
            })
        #expect(pair.left.agent.nextDeadline == nil)
        pair.network.isBlocked = { _, _ in false }
        pair.network.run(for: .seconds(10))
        #expect(pair.left.agent.state == .failed)
        pair.restart()
        #expect(pair.left.agent.state == .checking)
        #expect(pair.network.run(for: .seconds(5)) { pair.left.hasNominated && pair.right.hasNominated })
        pair.network.run(for: .seconds(1))
        #expect(pair.left.agent.state == .completed)
    }

    @Test("In closed nothing happens")
    func inClosed() {
        let pair = ICETestPair()
        let credentials = pair.left.agent.localCredentials
        pair.left.agent.close(at: .zero)
        pair.left.agent.restart(at: .zero)
        #expect(pair.left.agent.state == .closed)
        #expect(pair.left.agent.localCredentials == credentials)
    }

    @Test("Twice before the first has succeeded: the pair that works keeps working")
    func twice() throws {
        let pair = ICETestPair()
        #expect(pair.connect())
        let path = try #require(pair.left.agent.selectedPath)
        pair.left.agent.restart(at: pair.network.now)
        pair.left.agent.restart(at: pair.network.now)
        pair.network.run(for: .seconds(10))
        #expect(pair.left.agent.selectedPath == path)
        #expect(pair.left.isConnected && pair.right.isConnected)
        pair.restart()
        pair.network.run(for: .seconds(2))
        #expect(pair.left.hasNominated && pair.right.hasNominated)
    }

    @Test("Candidates carry the fragment of their generation, and those of the one before are not taken")
    func fragments() {
        let pair = ICETestPair()
        #expect(pair.connect())
        let old = pair.right.candidates
        pair.restart()
        #expect(pair.left.candidates.map(\.usernameFragment).last == pair.left.agent.localCredentials.usernameFragment)
        let dropped = pair.left.statistics.counters.droppedCandidates
        for candidate in old { pair.left.agent.addRemoteCandidate(candidate, at: pair.network.now) }
        #expect(pair.left.statistics.counters.droppedCandidates == dropped + old.count)
    }

    @Test("Another peer answers the same offer: checking begins anew with our credentials as they were")
    func fork() {
        let network = ICETestNetwork()
        let left = network.addNode("left", controlling: true)
        let first = network.addNode("first", controlling: false)
        let second = network.addNode("second", controlling: false)
        left.addSocket(1, "192.0.2.1:1000")
        first.addSocket(1, "192.0.2.2:2000")
        second.addSocket(1, "192.0.2.3:3000")
        for node in [left, first, second] {
            node.agent.startGathering(at: .zero)
            node.agent.endOfSockets(at: .zero)
        }
        for node in [first, second] {
            node.peer = left
            node.agent.setRemote(left.agent.localCredentials, isLite: false, at: .zero)
        }
        left.agent.setRemote(first.agent.localCredentials, isLite: false, at: .zero)
        left.peer = first
        network.run(for: .seconds(1))
        #expect(left.agent.selectedPath?.remote.port == 2_000)
        let credentials = left.agent.localCredentials
        for candidate in left.candidates { second.agent.addRemoteCandidate(candidate, at: network.now) }
        left.agent.setRemote(second.agent.localCredentials, isLite: false, at: network.now)
        network.run(for: .seconds(5))
        #expect(left.agent.localCredentials == credentials)
        #expect(left.agent.selectedPath?.remote.port == 3_000)
        #expect(second.isConnected)
    }

    @Test("Withdrawn, since its offer was rolled back: everything is as before, and the next restart works")
    func withdrawn() throws {
        let pair = ICETestPair()
        #expect(pair.connect())
        pair.network.run(for: .seconds(1))
        let path = try #require(pair.left.agent.selectedPath)
        let local = pair.left.agent.localCredentials
        let remote = try #require(pair.left.agent.remoteCredentials)
        pair.left.agent.restart(at: pair.network.now)
        pair.left.agent.endOfSockets(at: pair.network.now)
        pair.left.agent.setRemote(
            ICECredentials(usernameFragment: "fork", password: "forkpasswordforkpassword"), isLite: false,
            at: pair.network.now)
        pair.left.agent.addRemoteCandidate(
            ICECandidate(foundation: "1", priority: 9, address: .ip(IPAddress(192, 0, 2, 66)), port: 6, type: .host),
            at: pair.network.now)
        pair.left.agent.cancelRestart(local: local, remote: remote, at: pair.network.now)
        #expect(pair.left.agent.localCredentials == local)
        #expect(pair.left.agent.remoteCredentials == remote)
        #expect(pair.left.agent.selectedPath == path)
        #expect(pair.left.statistics.remoteCandidates.count == 1)
        pair.network.run(for: .seconds(60))
        #expect(pair.left.isConnected && pair.right.isConnected)
        pair.restart()
        pair.network.run(for: .seconds(2))
        #expect(pair.left.hasNominated && pair.right.hasNominated)
        #expect(pair.left.statistics.remoteCandidates.allSatisfy { $0.candidate.port != 6 })
    }
}
