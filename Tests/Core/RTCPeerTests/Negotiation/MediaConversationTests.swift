import RTCMedia
import RTCPeer
import RTCWire
import Testing

@Suite("Perfect negotiation with audio and video")
struct MediaConversationTests {
    @Test("many random conversations end with both sides of one mind", arguments: 0..<8)
    func model(block: Int) throws {
        var collisions = 0, agreed = 0, stopped = 0
        for seed in 0..<15 {
            var conversation = try Conversation(seed: UInt64(block * 15 + seed))
            try conversation.run()
            collisions += conversation.ignored
            agreed += conversation.agreedSections
            stopped += conversation.stopped
        }
        // What is tested has to occur.
        #expect(collisions > 0 && agreed > 0 && stopped > 0)
    }
}

/// Two sides that add, mute and stop what they like, over signalling that keeps the order and takes its time.
private struct Conversation {
    /// What a peer knows of a transceiver by what it was told.
    struct Known: Equatable {
        var parameters: MediaSectionParameters?
        var track: RemoteTrack?
    }

    private var sides: [NegotiatingSide]
    private var known: [[TransceiverID: Known]] = [[:], [:]]
    private var queues: [[SessionDescription]] = [[], []]
    /// The ICE credentials that each side's connection has.
    private var inUse: [(fragment: String, password: String)?] = [nil, nil]
    private let random: SeededRandom
    private(set) var ignored = 0
    private(set) var agreedSections = 0
    private(set) var stopped = 0

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed &* 6_007 &+ 3)
        // Each has a codec that the other has not, and not the same numbers for the rest.
        sides = [
            try NegotiatingSide.media(
                seed: seed &+ 1_000, codecs: [TestCodecs.pcmu, TestCodecs.opus, TestCodecs.vp9, TestCodecs.vp8]),
            try NegotiatingSide.media(
                seed: seed &+ 2_000, codecs: [TestCodecs.h264, TestCodecs.vp8, TestCodecs.opus, TestCodecs.vp9],
                extensions: TestCodecs.extensions.reversed()),
        ]
    }

    mutating func run() throws {
        for _ in 0..<50 { try step(isQuiet: false) }
        var rounds = 0
        while try step(isQuiet: true) {
            rounds += 1
            try #require(rounds < 100, "the conversation does not end")
        }
        try check()
    }

    @discardableResult
    private mutating func step(isQuiet: Bool) throws -> Bool {
        if !isQuiet, random.next(below: 3) == 0 { try change(Int(random.next(below: 2))) }
        for side in 0..<2 where isQuiet || random.next(below: 2) == 0 {
            if sides[side].negotiator.pollNegotiationNeeded() { try describe(side) }
        }
        let waiting = [0, 1].filter { !queues[$0].isEmpty }
        guard let receiver = waiting.isEmpty ? nil : waiting[Int(random.next(below: UInt64(waiting.count)))] else {
            return !isQuiet || sides.contains { $0.negotiator.needsNegotiation }
        }
        if isQuiet || random.next(below: 2) == 0 { try deliver(to: receiver) }
        return true
    }

    private mutating func change(_ side: Int) throws {
        let kind: MediaKind = random.next(below: 2) == 0 ? .audio : .video
        let all = sides[side].negotiator.transceivers.filter { !$0.isStopping }.map(\.id)
        let any = all.isEmpty ? nil : all[Int(random.next(below: UInt64(all.count)))]
        let directions = SDPDirection.allCases
        switch (random.next(below: 8), any) {
        case (0, _), (1, _):
            let id = try sides[side].addTrack(kind, "t\(random.next(below: 1_000))")
            if known[side][id] == nil { known[side][id] = Known() }
        case (2, _):
            let id = try sides[side].negotiator.addTransceiver(kind, direction: directions[Int(random.next(below: 4))])
            known[side][id] = Known()
        case (3, let id?), (4, let id?):
            try sides[side].negotiator.setDirection(directions[Int(random.next(below: 4))], of: id)
        case (5, let id?): try sides[side].negotiator.removeTrack(id)
        case (6, let id?): try sides[side].negotiator.stop(id)
        case (7, _): sides[side].negotiator.requestICERestart()
        default: break
        }
        try note(side)
    }

    private mutating func describe(_ side: Int) throws {
        if let credentials = inUse[side], !sides[side].negotiator.needsFreshICECredentials {
            sides[side].credentials = credentials
        }
        noteTransport(try sides[side].negotiator.setLocal(sides[side].input()), side)
        try note(side)
        queues[1 - side].append(try #require(sides[side].negotiator.localDescription))
    }

    private mutating func deliver(to side: Int) throws {
        switch try sides[side].negotiator.receive(queues[side].removeFirst(), isPolite: side == 0) {
        case .applied(let changes, let isAnswerDue):
            noteTransport(changes, side)
            try note(side)
            if isAnswerDue { try describe(side) }
        case .ignored: ignored += 1
        }
    }

    private mutating func noteTransport(_ changes: [NegotiationChange], _ side: Int) {
        if changes.remoteTransport != nil { inUse[side] = sides[side].credentials }
    }

    /// Does what a peer would do, and expects that it can be done.
    private mutating func note(_ side: Int) throws {
        for change in sides[side].negotiator.takeMediaChanges() {
            switch change {
            case .transceiverAdded(let transceiver):
                #expect(known[side][transceiver.id] == nil)
                known[side][transceiver.id] = Known()
            case .transceiverStopped(let id), .transceiverRemoved(let id):
                let last = known[side].removeValue(forKey: id)
                #expect(last != nil && last?.track == nil)
                stopped += 1
            case .parameters(let parameters):
                let last = try #require(known[side][parameters.transceiver])
                #expect(last.parameters != parameters)
                known[side][parameters.transceiver]?.parameters = parameters
            case .remoteTrack(let track):
                let last = try #require(known[side][track.transceiver])
                #expect(last.track != track)
                known[side][track.transceiver]?.track = track
            case .remoteTrackRemoved(let id):
                let last = try #require(known[side][id])
                #expect(last.track != nil)
                known[side][id]?.track = nil
            }
        }
    }

    private mutating func check() throws {
        for (mine, other) in [(0, 1), (1, 0)] {
            let negotiator = sides[mine].negotiator
            #expect(negotiator.signalingState == .stable && !negotiator.needsNegotiation)
            let actual = negotiator.transceivers.map {
                ($0.id, Known(parameters: $0.parameters, track: $0.remoteTrack))
            }
            #expect(known[mine] == Dictionary(actual) { first, _ in first })
            for transceiver in negotiator.transceivers {
                let mid = try #require(transceiver.mid)
                let facing = try #require(sides[other].negotiator.transceivers.first { $0.mid == mid })
                #expect(facing.kind == transceiver.kind)
                let ours = try #require(transceiver.parameters), theirs = try #require(facing.parameters)
                #expect(ours.direction == theirs.direction.reversed && transceiver.currentDirection == ours.direction)
                #expect(ours.mLineIndex == theirs.mLineIndex && ours.sendExtensions == theirs.receiveExtensions)
                // What one sends the other can receive, under that number.
                for codec in ours.sendCodecs {
                    let received = theirs.receiveCodecs.first { $0.payloadType == codec.payloadType }
                    #expect(received?.codec.name == codec.codec.name)
                    #expect(received?.retransmissionPayloadType == codec.retransmissionPayloadType)
                }
                #expect((transceiver.remoteTrack != nil) == ours.direction.receives)
                #expect(ours.remoteSources.first?.ssrc == theirs.sender.ssrc || !theirs.direction.sends)
                agreedSections += 1
            }
            // One number, one meaning.
            var meanings: [String: String] = [:]
            for section in try SDP(parsing: negotiator.localDescription?.sdp ?? "v=0\no=- 1 1 IN IP4 0.0.0.0\ns=-\n")
                .media
            where !section.isRejected {
                for map in section.level.rtpMaps {
                    let meaning = map.encodingName + (section.parameters(map.payloadType) ?? "")
                    #expect(meanings.updateValue(meaning, forKey: String(map.payloadType)) ?? meaning == meaning)
                }
            }
        }
    }
}
