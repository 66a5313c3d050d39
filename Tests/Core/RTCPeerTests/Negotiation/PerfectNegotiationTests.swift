import RTCPeer
import RTCWire
import Testing

@Suite("Perfect negotiation: glare settles itself")
struct PerfectNegotiationTests {
    @Test("both offer at once: the polite side's offer gives way, and one exchange serves both")
    func crossing() throws {
        var polite = try NegotiatingSide(seed: 1)
        var impolite = try NegotiatingSide(seed: 2)
        polite.negotiator.addDataSection()
        impolite.negotiator.addDataSection()
        let first = try polite.offer()
        let second = try impolite.offer()

        let ignored = try impolite.negotiator.receive(first, isPolite: false)
        #expect(ignored == .ignored)
        guard case .applied(let changes, isAnswerDue: true) = try polite.negotiator.receive(second, isPolite: true)
        else {
            Issue.record("the polite side has to take the offer")
            return
        }
        #expect(changes.rollback?.isLocal == true)
        let answer = try polite.answer()
        guard case .applied(_, isAnswerDue: false) = try impolite.negotiator.receive(answer, isPolite: false) else {
            Issue.record("the answer has to be taken")
            return
        }
        for side in [polite, impolite] {
            #expect(side.negotiator.signalingState == .stable && !side.negotiator.needsNegotiation)
            #expect(side.negotiator.dataSection != nil)
        }
    }

    @Test("candidates of an offer that was ignored come to use if the answer has the same generation")
    func candidatesOfIgnoredOffer() throws {
        var polite = try NegotiatingSide(seed: 1)
        var impolite = try NegotiatingSide(seed: 2)
        polite.negotiator.addDataSection()
        impolite.negotiator.addDataSection()
        let first = try polite.offer()
        let second = try impolite.offer()
        _ = try impolite.negotiator.receive(first, isPolite: false)
        let trickled = polite.negotiator.addLocalCandidate(hostCandidate, usernameFragment: polite.credentials.fragment)
        let outcome = try impolite.negotiator.receive(try #require(trickled))
        #expect(outcome == .held)
        _ = try polite.negotiator.receive(second, isPolite: true)
        try impolite.take(polite.answer())
        #expect(impolite.changes.remoteTransport?.description.candidates == [hostCandidate])
    }

    @Test("candidates of an offer that was ignored are dropped if the answer has another generation")
    func droppedCandidates() throws {
        var (polite, impolite) = try connectedSides()
        polite.negotiator.requestICERestart()
        let first = try polite.offer()
        let second = try impolite.offer()
        _ = try impolite.negotiator.receive(first, isPolite: false)
        let fragment = try #require(SDP(parsing: first.sdp).media[0].level.iceUsernameFragment)
        let trickled = ICECandidateInit(candidate: hostCandidate, sdpMid: "0", usernameFragment: fragment)
        _ = try impolite.negotiator.receive(trickled)
        _ = try polite.negotiator.receive(second, isPolite: true)
        try polite.useCredentialsInUse()
        _ = impolite.takeChanges()
        try impolite.take(polite.answer())
        #expect(impolite.changes.remoteTransport == nil)
        // The withdrawn restart follows, with credentials of its own.
        #expect(polite.negotiator.needsNegotiation)
    }

    @Test("hundreds of random conversations end with both sides of one mind", arguments: 0..<8)
    func model(block: Int) throws {
        var collisions = 0
        for seed in 0..<50 {
            var conversation = try Conversation(seed: UInt64(block * 50 + seed))
            try conversation.run()
            collisions += conversation.ignored
        }
        // Glare has to occur for the test to test it.
        #expect(collisions > 0)
    }
}

/// Two sides that change things when they like, over signalling that keeps the order and takes its time.
private struct Conversation {
    private enum Message {
        case description(SessionDescription)
        case candidate(ICECandidateInit)
    }

    private var sides: [NegotiatingSide]
    private var queues: [[Message]] = [[], []]
    private let random: SeededRandom
    private var candidateNumber = 0
    private(set) var ignored = 0
    /// What each side holds to be the other's transport.
    private var seen: [TransportDescription?] = [nil, nil]

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed &* 7_919 &+ 17)
        sides = [try NegotiatingSide(seed: seed &+ 1_000), try NegotiatingSide(seed: seed &+ 2_000)]
    }

    mutating func run() throws {
        for _ in 0..<60 { try step(isQuiet: false) }
        // Nothing new is wanted any more; all that waits is delivered.
        var rounds = 0
        while try step(isQuiet: true) {
            rounds += 1
            try #require(rounds < 200, "the conversation does not end")
        }
        try check()
    }

    @discardableResult
    private mutating func step(isQuiet: Bool) throws -> Bool {
        let side = Int(random.next(below: 2))
        if !isQuiet, random.next(below: 3) == 0 {
            if random.next(below: 2) == 0 {
                sides[side].negotiator.addDataSection()
            } else {
                sides[side].negotiator.requestICERestart()
            }
        }
        for side in 0..<2 where isQuiet || random.next(below: 2) == 0 {
            if sides[side].negotiator.pollNegotiationNeeded() { try describe(side) }
        }
        if !isQuiet, random.next(below: 3) == 0 { trickle(side) }
        let waiting = [0, 1].filter { !queues[$0].isEmpty }
        guard let receiver = waiting.isEmpty ? nil : waiting[Int(random.next(below: UInt64(waiting.count)))] else {
            return !isQuiet || sides.contains { $0.negotiator.needsNegotiation }
        }
        if isQuiet || random.next(below: 2) == 0 { try deliver(to: receiver) }
        return true
    }

    private mutating func describe(_ side: Int) throws {
        let changes = try sides[side].negotiator.setLocal(sides[side].input())
        try note(changes, side)
        queues[1 - side].append(.description(try #require(sides[side].negotiator.localDescription)))
    }

    private mutating func trickle(_ side: Int) {
        candidateNumber += 1
        let text = "candidate:\(candidateNumber) 1 udp 1 192.0.2.1 \(candidateNumber) typ host"
        let fragment = sides[side].credentials.fragment
        if let signal = sides[side].negotiator.addLocalCandidate(text, usernameFragment: fragment) {
            queues[1 - side].append(.candidate(signal))
        }
    }

    private mutating func deliver(to side: Int) throws {
        switch queues[side].removeFirst() {
        case .description(let description):
            switch try sides[side].negotiator.receive(description, isPolite: side == 0) {
            case .applied(let changes, let isAnswerDue):
                try note(changes, side)
                if isAnswerDue { try describe(side) }
            case .ignored:
                #expect(side == 1)
                ignored += 1
            }
        case .candidate(let candidate):
            if case .apply(let text) = try sides[side].negotiator.receive(candidate) {
                seen[side]?.candidates.append(text)
            }
        }
    }

    /// Does what a peer would do.
    private mutating func note(_ changes: [NegotiationChange], _ side: Int) throws {
        for change in changes {
            switch change {
            case .rolledBack(let rollback):
                if rollback.unusedUsernameFragment != nil { try sides[side].useCredentialsInUse() }
            case .remoteTransport(let transport):
                let isOther = seen[side].map { $0.iceUsernameFragment != transport.description.iceUsernameFragment }
                #expect(transport.isRestart == isOther ?? false)
                let known = transport.isRestart ? [] : seen[side]?.candidates ?? []
                seen[side] = transport.description
                seen[side]?.candidates = known + transport.description.candidates
            default: break
            }
        }
    }

    private func check() throws {
        let (polite, impolite) = (sides[0].negotiator, sides[1].negotiator)
        for negotiator in [polite, impolite] {
            #expect(negotiator.signalingState == .stable)
            #expect(!negotiator.needsNegotiation)
        }
        #expect((polite.dataSection == nil) == (impolite.dataSection == nil))
        #expect(polite.dataSection?.mid == impolite.dataSection?.mid)
        for (mine, other) in [(0, 1), (1, 0)] {
            guard let description = sides[mine].negotiator.currentLocalDescription else { continue }
            let local = try SDP(parsing: description.sdp)
            let remote = try SDP(parsing: #require(sides[other].negotiator.currentRemoteDescription).sdp)
            #expect(local.origin == remote.origin)
            #expect(local.media.map(\.level.mid) == remote.media.map(\.level.mid))
            guard let section = local.media.first(where: { !$0.isRejected }), let seen = seen[other] else { continue }
            #expect(seen.iceUsernameFragment == section.level.iceUsernameFragment)
            #expect(seen.icePassword == section.level.icePassword)
            // No candidate of the generation in use was lost or came twice.
            #expect(seen.candidates.sorted() == section.level.candidates.sorted())
        }
    }
}
