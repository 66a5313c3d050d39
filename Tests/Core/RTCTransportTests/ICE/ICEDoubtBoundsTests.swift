import RTCTransport
import RTCWire
import Testing

@Suite("ICE: what doubts may cost, and how often paths change")
struct ICEDoubtBoundsTests {
    @Test("A replacement that is dead counts as silent, though each doubt asks it anew")
    func deadReplacement() {
        var call = ScriptedCall()
        call.run(for: .seconds(5))
        call.alive.remove(call.second)
        for _ in 0..<10 {
            call.pauses = true
            call.run(for: .milliseconds(300))
            call.pauses = false
            call.run(for: .milliseconds(1_700))
        }
        // No pair could take over any more, so there are no doubts.
        #expect(call.copying.contains { $0 < call.solo.now - .seconds(15) })
        #expect(!call.copying.contains { $0 > call.solo.now - .seconds(8) })
        #expect(call.selections.count == 1)
        call.alive.insert(call.second)
        call.run(for: .seconds(8))
        call.pauses = true
        call.run(for: .milliseconds(300))
        #expect(call.solo.agent.backup?.path.remote == call.second)
    }

    @Test("A peer that refuses each check in a doubt for its role is asked at the pace of checks")
    func roleConflicts() {
        var call = ScriptedCall()
        call.run(for: .seconds(5))
        call.refuses = true
        call.pauses = true
        call.run(for: .milliseconds(200))
        let before = call.requests.count
        call.run(for: .seconds(1))
        #expect(call.requests.count - before <= 50, "\(call.requests.count - before)")
        call.refuses = false
        call.pauses = false
        call.run(for: .seconds(2))
        #expect(call.solo.agent.selectedPath?.remote == call.first && call.solo.agent.backup == nil)
    }

    @Test("A peer that refuses each first check for its role is asked at the pace of checks, and reached once it stops")
    func roleConflictsAtFirst() {
        var call = ScriptedCall()
        call.refuses = true
        call.run(for: .seconds(2))
        // One check each 50 ms, and the first ones of two pairs again at once.
        #expect(call.requests.count <= 45, "\(call.requests.count)")
        #expect(call.requests.count >= 10, "\(call.requests.count)")
        call.refuses = false
        call.run(for: .seconds(1))
        #expect(call.solo.agent.selectedPath?.remote == call.first)
    }

    @Test("The peer's checks begin doubts only so often")
    func peerDoubts() {
        var call = ScriptedCall()
        call.run(for: .seconds(5))
        let start = call.solo.now
        for _ in 0..<100 {
            call.check(call.first)
            call.check(call.second)
            call.run(for: .milliseconds(1_200))
        }
        #expect(call.copying.count { $0 < start + .seconds(6) } >= 3)
        #expect(call.copying.count <= 30, "\(call.copying.count)")
        // After a while, the peer's doubts are shared again.
        call.run(for: .seconds(10))
        let before = call.copying.count
        call.check(call.first)
        call.check(call.second)
        call.run(for: .milliseconds(100))
        #expect(call.copying.count == before + 1)
    }

    @Test("A nominated path that comes and goes is not followed each time, however often the peer nominates it")
    func flapping() throws {
        var call = ScriptedCall(controlling: false)
        call.check(call.first, nominates: true)
        call.check(call.second)
        call.run(for: .seconds(5))
        try #require(call.selections.last?.remote == call.first)
        for _ in 0..<6 {
            call.alive.remove(call.first)
            call.run(for: .seconds(3))
            call.alive.insert(call.first)
            for _ in 0..<3 {
                call.check(call.first, nominates: true)
                call.run(for: .milliseconds(2_333))
            }
        }
        #expect(call.selections.count > 2)
        let moves = zip(call.selections.dropFirst(), call.selections.dropFirst(2))
        for (left, back) in moves where back.remote == call.first {
            #expect(back.time - left.time >= .seconds(10), "\((back.time - left.time).milliseconds) ms")
        }
        // It is selected once it has answered for a while.
        call.run(for: .seconds(12))
        #expect(call.solo.agent.selectedPath?.remote == call.first)
    }

    @Test("A path that the peer nominates instead of another one is taken at once, though it was silent before")
    func nominatedAgain() {
        var call = ScriptedCall(controlling: false)
        call.check(call.first, nominates: true)
        call.check(call.second)
        call.run(for: .seconds(5))
        call.alive.remove(call.first)
        call.run(for: .seconds(3))
        call.check(call.second, nominates: true)
        call.run(for: .seconds(1))
        call.alive.insert(call.first)
        call.run(for: .seconds(5))
        #expect(call.solo.agent.selectedPath?.remote == call.second)
        call.check(call.first, nominates: true)
        call.run(for: .milliseconds(100))
        #expect(call.solo.agent.selectedPath?.remote == call.first)
    }
}

/// A call of one agent with a peer at two addresses, of which the first is the better one.
private struct ScriptedCall {
    var solo: ICESoloAgent
    let first: TransportAddress
    let second = iceAddress("198.51.100.9:9000")
    /// The addresses that answer, and from which packets come.
    var alive: Set<TransportAddress>
    /// Whether the peer pauses: it neither answers nor sends.
    var pauses = false
    /// Whether it answers each check with a role conflict.
    var refuses = false
    private(set) var requests: [Instant] = []
    private(set) var selections: [(time: Instant, remote: TransportAddress?)] = []
    /// The times at which copying began.
    private(set) var copying: [Instant] = []
    private var isCopying = false
    private var nextPacket = Instant.zero

    init(controlling: Bool = true) {
        solo = ICESoloAgent(controlling: controlling)
        first = solo.other
        alive = [first, second]
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000", priority: 200), at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("198.51.100.9:9000", priority: 100), at: solo.now)
    }

    /// Lets the peer send a check from `address`.
    mutating func check(_ address: TransportAddress, nominates: Bool = false) {
        let isControlling = solo.agent.isControlling
        solo.receive(
            solo.peer.check(to: solo.agent, controlling: !isControlling, useCandidate: nominates), from: address)
    }

    /// Lets a packet arrive every 20 ms.
    mutating func run(for time: TimeDelta) {
        let end = solo.now + time
        while solo.now < end {
            solo.wait(.milliseconds(5))
            for message in solo.sent() where ICESoloAgent.classes([message]) == [.request] {
                requests.append(solo.now)
                if refuses {
                    solo.receive(solo.peer.refuse(message.bytes, .roleConflict), from: message.to)
                } else if !pauses, alive.contains(message.to) {
                    solo.receive(solo.peer.answer(message.bytes, mapped: solo.own), from: message.to)
                }
            }
            if solo.now >= nextPacket {
                nextPacket = solo.now + .milliseconds(20)
                if !pauses, let path = solo.agent.selectedPath, alive.contains(path.remote) {
                    solo.agent.noteArrival(on: path, at: solo.now)
                }
            }
            for event in solo.events() {
                switch event {
                case .selectedPath(let path): selections.append((solo.now, path?.remote))
                case .backup(let backup):
                    if backup != nil, !isCopying { copying.append(solo.now) }
                    isCopying = backup != nil
                default: break
                }
            }
        }
    }
}
