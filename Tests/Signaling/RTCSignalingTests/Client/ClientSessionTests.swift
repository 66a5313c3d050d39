import Testing

@testable import RTCSignaling

/// A client's session and a server's, without sockets, over connections that are cut wherever it hurts.
@Suite("A client's session")
struct ClientSessionTests {
    @Test("Cut at every message, both ways: each side gets each message once and in order", arguments: 0..<40)
    func cutAnywhere(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let world = VirtualExchange()
        let bob = world.device("bob/b")
        var link = CutLink(world)
        link.connect()
        var sent = 0
        for step in 0..<200 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: link.cut()
            case 1, 2: if !link.isConnected { link.connect() }
            case 3..<7:
                sent += 1
                link.send(.signal("up \(sent)", to: "bob"))
            default: bob.say(.signal("down \(step)", to: "alice/a"))
            }
            // What is on its way may be lost with its socket.
            if Int.random(in: 0..<3, using: &random) > 0 { link.deliver() }
        }
        link.cut()
        link.connect()
        link.deliver()
        let up = bob.take().compactMap(Self.text)
        #expect(up == (0..<sent).map { "up \($0 + 1)" })
        let down = link.received.compactMap(Self.text)
        #expect(down == down.sorted { Int($0.dropFirst(5)) ?? 0 < Int($1.dropFirst(5)) ?? 0 })
        #expect(Set(down).count == down.count)
        #expect(world.exchange.statistics.signIns == 2)
    }

    private static func text(_ message: ServerMessage) -> String? {
        guard case .signal(let signal) = message else { return nil }
        return String(decoding: signal.data, as: UTF8.self)
    }

    @Test("A new session begins with attaching to the calls that run, inviting again to those that ring, and watching")
    func anew() throws {
        var session = ClientSession()
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        _ = session.send(.watch(Watch(users: ["bob"])), at: .zero)
        _ = session.send(.invite("runs", to: "bob"), at: .zero)
        let answer = Delivered(Answer(call: "runs"), from: SignalingPeer(user: "bob", device: "b"), polite: false)
        _ = session.receive(Envelope(.answer(answer), seq: 1), at: .zero)
        _ = session.send(.invite("rings", to: "carol", lifetime: 30), at: .seconds(5))
        _ = session.send(.invite("over", to: "dave", lifetime: 2), at: .seconds(5))
        session.disconnected()
        // Said while there was no server: it is kept for when the call is attached.
        #expect(session.send(.negotiate("runs"), at: .seconds(6)) == [])

        let output = session.welcomed(Self.welcome(resumed: false), at: .seconds(10))
        let messages = try output.map { try Envelope<ClientMessage>(json: $0) }
        #expect(messages.map(\.message.type) == ["invite", "attach", "watch"])
        #expect(messages.map(\.seq) == [1, 2, nil])
        guard case .invite(let invite) = messages[0].message else { return #expect(Bool(false)) }
        #expect(invite.call == "rings")
        #expect(invite.lifetime == 25)
        #expect(messages[1].message == .attach("runs", to: "bob/b", caller: true))

        let attached = session.receive(Envelope(.attached(CallReference(call: "runs")), seq: 1), at: .seconds(11))
        let released = try attached.replies.map { try Envelope<ClientMessage>(json: $0).message.type }
        #expect(released == ["ack", "negotiate"])
        #expect(session.expired(at: .seconds(20)).map(\.type) == ["noAnswer"])
    }

    @Test("An invite that comes again does not ring again, and brings what was said of it meanwhile")
    func repeatedInvite() throws {
        var session = ClientSession()
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        let invite = IncomingInvite(call: "call", from: SignalingPeer(user: "alice", device: "a"), lifetime: 30)
        #expect(session.receive(Envelope(.invite(invite), seq: 1), at: .zero).message != nil)
        session.disconnected()
        _ = session.welcomed(Self.welcome(resumed: false), at: .seconds(3))
        #expect(session.send(.answer("call"), at: .seconds(4)) == [])
        let again = session.receive(Envelope(.invite(invite), seq: 1), at: .seconds(5))
        #expect(again.message == nil)
        #expect(try again.replies.map { try Envelope<ClientMessage>(json: $0).message.type } == ["ack", "answer"])
        // It runs now: after the next new session it is attached.
        session.disconnected()
        let output = session.welcomed(Self.welcome(resumed: false), at: .seconds(6))
        #expect(
            try output.map { try Envelope<ClientMessage>(json: $0).message }
                == [.attach("call", to: "alice/a", caller: false)])
    }

    @Test("What was decided while there was no server is said to the next one: an answer, a hang-up")
    func decidedMeanwhile() throws {
        var session = ClientSession()
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        let peer = SignalingPeer(user: "alice", device: "a")
        for (seq, call) in zip(UInt64(1)..., ["answered", "hungup"] as [CallID]) {
            let invite = IncomingInvite(call: call, from: peer, lifetime: 30)
            _ = session.receive(Envelope(.invite(invite), seq: seq), at: .zero)
        }
        _ = session.send(.answer("hungup"), at: .zero)
        session.disconnected()
        _ = session.send(.answer("answered"), at: .zero)
        _ = session.send(.hangup("hungup"), at: .zero)
        let output = session.welcomed(Self.welcome(resumed: false), at: .zero)
        #expect(
            try output.map { try Envelope<ClientMessage>(json: $0).message }
                == [.attach("hungup", to: "alice/a", caller: false)])
        let attached = session.receive(Envelope(.attached(CallReference(call: "hungup")), seq: 1), at: .zero)
        #expect(try attached.replies.map { try Envelope<ClientMessage>(json: $0).message.type } == ["ack", "hangup"])
        let invite = IncomingInvite(call: "answered", from: peer, lifetime: 20)
        let again = session.receive(Envelope(.invite(invite), seq: 2), at: .zero)
        #expect(try again.replies.map { try Envelope<ClientMessage>(json: $0).message.type } == ["ack", "answer"])
    }

    @Test("An answer that may have died with its server is said again to a caller who invites again, and to no other")
    func doubtfulAnswer() throws {
        var session = ClientSession()
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        let peer = SignalingPeer(user: "alice", device: "a")
        for (seq, call) in zip(UInt64(1)..., ["unheard", "heard", "hungup"] as [CallID]) {
            let invite = IncomingInvite(call: call, from: peer, lifetime: 30)
            _ = session.receive(Envelope(.invite(invite), seq: seq), at: .zero)
            _ = session.send(.answer(call), at: .zero)
        }
        session.disconnected()
        _ = session.send(.hangup("hungup"), at: .zero)
        _ = session.send(.negotiate("unheard"), at: .zero)
        let output = session.welcomed(Self.welcome(resumed: false), at: .seconds(1))
        #expect(
            try output.map { try Envelope<ClientMessage>(json: $0).message.type } == ["attach", "attach", "attach"])
        func replies(_ message: ServerMessage, seq: UInt64) throws -> [String] {
            try session.receive(Envelope(message, seq: seq), at: .seconds(2)).replies
                .map { try Envelope<ClientMessage>(json: $0).message.type }
        }
        let again = IncomingInvite(call: "unheard", from: peer, lifetime: 28)
        #expect(try replies(.invite(again), seq: 1) == ["ack", "answer", "negotiate"])
        #expect(try replies(.attached(CallReference(call: "heard")), seq: 2) == ["ack"])
        let other = IncomingInvite(call: "hungup", from: peer, lifetime: 28)
        #expect(try replies(.invite(other), seq: 3) == ["ack", "hangup"])
    }

    @Test("Candidates of a call that rings are said again with it: those of before, and those of meanwhile")
    func candidatesAgain() throws {
        var session = ClientSession()
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        _ = session.send(.invite("rings", to: "bob", lifetime: 30), at: .zero)
        func candidates(_ text: String) -> ClientMessage {
            .candidates(Candidates(call: "rings", candidates: [.candidate(.init(candidate: text))]))
        }
        _ = session.send(candidates("before"), at: .zero)
        session.disconnected()
        _ = session.send(candidates("meanwhile"), at: .zero)
        let output = session.welcomed(Self.welcome(resumed: false), at: .seconds(1))
        let messages = try output.map { try Envelope<ClientMessage>(json: $0).message }
        #expect(messages.map(\.type) == ["invite", "candidates", "candidates"])
        #expect(Array(messages.dropFirst()) == [candidates("before"), candidates("meanwhile")])
    }

    @Test(
        "What only the peer needs waits while its session is gone, in order and not without bound; the call's end does not wait"
    )
    func peerGone() throws {
        var session = ClientSession()
        var seq: UInt64 = 0
        func receive(_ message: ServerMessage) throws -> [ClientMessage] {
            seq += 1
            let reception = session.receive(Envelope(message, seq: seq), at: .zero)
            return try reception.replies.map { try Envelope<ClientMessage>(json: $0).message }.filter { $0 != .ack }
        }
        func send(_ message: ClientMessage) -> Int? { session.send(message, at: .zero)?.count }
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        _ = send(.invite("call", to: "bob"))
        let bob = SignalingPeer(user: "bob", device: "b")
        _ = try receive(.answer(Delivered(Answer(call: "call"), from: bob, polite: false)))
        _ = try receive(.peer(PeerState(call: "call", state: .away)))
        #expect(send(.candidates("call", ["a"])) == 1)
        _ = try receive(.peer(PeerState(call: "call", state: .gone)))
        for index in 0..<100 { #expect(send(.negotiate("call", "v=\(index)")) == 0) }
        #expect(send(.candidates("call", ["b"])) == 0)
        #expect(send(.signal("to another", to: "carol")) == 1)
        let released = try receive(.attached(CallReference(call: "call")))
        #expect(released == (0..<64).map { .negotiate("call", "v=\($0)") })
        #expect(try receive(.attached(CallReference(call: "call"))).isEmpty)
        // It may also be there again with its old session.
        _ = try receive(.peer(PeerState(call: "call", state: .gone)))
        #expect(send(.negotiate("call", "again")) == 0)
        #expect(try receive(.peer(PeerState(call: "call", state: .present))) == [.negotiate("call", "again")])
        _ = try receive(.peer(PeerState(call: "call", state: .gone)))
        #expect(send(.hangup("call")) == 1)
        #expect(try receive(.attached(CallReference(call: "call"))).isEmpty)
        // What waited for the peer waits for a new server, too.
        _ = send(.invite("other", to: "bob"))
        _ = try receive(.answer(Delivered(Answer(call: "other"), from: bob, polite: false)))
        _ = try receive(.peer(PeerState(call: "other", state: .gone)))
        #expect(send(.negotiate("other", "waits")) == 0)
        session.disconnected()
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        seq = 0
        #expect(try receive(.peer(PeerState(call: "other", state: .present))).isEmpty)
        #expect(try receive(.attached(CallReference(call: "other"))) == [.negotiate("other", "waits")])
    }

    @Test("A server's lifetimes that no call can have are cut", arguments: ["1e30", "-1e30", "1e9", "0"])
    func absurdLifetime(text: String) throws {
        var session = ClientSession()
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        let json =
            #"{"type":"invite","seq":1,"call":"call------------","from":{"user":"eve","device":"e"},"lifetime":\#(text)}"#
        _ = session.receive(try Envelope<ServerMessage>(json: Array(json.utf8)), at: .zero)
        #expect(session.expired(at: .seconds(123)).count == 1)
    }

    @Test("What was rejected or given up while there was no server is said to the next one, once it knows the call")
    func refusedMeanwhile() throws {
        var session = ClientSession()
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        let peer = SignalingPeer(user: "alice", device: "a")
        for (seq, call) in zip(UInt64(1)..., ["rejected", "busy"] as [CallID]) {
            let invite = IncomingInvite(call: call, from: peer, lifetime: 30)
            _ = session.receive(Envelope(.invite(invite), seq: seq), at: .zero)
        }
        _ = session.send(.invite("givenup", to: "bob", lifetime: 30), at: .zero)
        session.disconnected()
        _ = session.send(.reject("rejected"), at: .zero)
        _ = session.send(.busy("busy"), at: .zero)
        _ = session.send(.cancel("givenup"), at: .zero)
        let output = session.welcomed(Self.welcome(resumed: false), at: .zero)
        #expect(try output.map { try Envelope<ClientMessage>(json: $0).message.type } == ["invite", "cancel"])
        for (seq, (call, type)) in zip(UInt64(1)..., [("rejected", "reject"), ("busy", "busy")] as [(CallID, String)]) {
            let invite = IncomingInvite(call: call, from: peer, lifetime: 20)
            let again = session.receive(Envelope(.invite(invite), seq: seq), at: .zero)
            #expect(again.message == nil)
            #expect(try again.replies.map { try Envelope<ClientMessage>(json: $0).message.type } == ["ack", type])
        }
        #expect(session.expired(at: .seconds(60)).isEmpty)
    }

    @Test(
        "A call that is hung up before its peer is back is said to it in time, and to no session after that",
        arguments: [true, false])
    func hungUpAlone(isPeerInTime: Bool) throws {
        var session = ClientSession()
        func types(_ output: [[UInt8]]?) throws -> [String] {
            try (output ?? []).map { try Envelope<ClientMessage>(json: $0).message.type }
        }
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        _ = session.send(.invite("call", to: "bob"), at: .zero)
        let answer = Delivered(Answer(call: "call"), from: SignalingPeer(user: "bob", device: "b"), polite: false)
        _ = session.receive(Envelope(.answer(answer), seq: 1), at: .zero)
        // The server has lost its state. The peer has not come back to the next one.
        session.disconnected()
        let anew = session.welcomed(Self.welcome(resumed: false), at: .seconds(1))
        #expect(try types(anew) == ["attach"])
        let hungUp = session.send(.hangup("call"), at: .seconds(2))
        #expect(hungUp == [])
        // A resumed session changes nothing: the hang-up still waits, and was never sent.
        session.disconnected()
        let resumed = session.welcomed(Self.welcome(resumed: true, received: 1), at: .seconds(3))
        #expect(resumed.isEmpty)
        if isPeerInTime {
            let attached = session.receive(Envelope(.attached(CallReference(call: "call")), seq: 1), at: .seconds(100))
            #expect(try types(attached.replies) == ["ack", "hangup"])
        } else {
            // It was the app that has ended the call, which need not be told.
            for second in [120, 125] { #expect(session.expired(at: .seconds(second)).isEmpty) }
        }
        session.disconnected()
        let later = session.welcomed(Self.welcome(resumed: false), at: .seconds(130))
        #expect(try types(later).isEmpty)
    }

    @Test("A call is attached again each minute, until its peer is back: the server does not wait that long for it")
    func attachAgain() throws {
        var session = ClientSession()
        func types(_ output: [[UInt8]]?) throws -> [String] {
            try (output ?? []).map { try Envelope<ClientMessage>(json: $0).message.type }
        }
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        _ = session.send(.invite("call", to: "bob"), at: .zero)
        let answer = Delivered(Answer(call: "call"), from: SignalingPeer(user: "bob", device: "b"), polite: false)
        _ = session.receive(Envelope(.answer(answer), seq: 1), at: .zero)
        #expect(session.repeated(at: .seconds(500)).isEmpty)
        session.disconnected()
        #expect(session.repeated(at: .seconds(999)).isEmpty)
        #expect(try types(session.welcomed(Self.welcome(resumed: false), at: .seconds(1_000))) == ["attach"])
        #expect(session.send(.hangup("call"), at: .seconds(1_001)) == [], "it waits")
        for second in [1_059, 1_060, 1_061, 1_119, 1_120] {
            let expected = second % 60 == 40 ? ["attach"] : []
            #expect(try types(session.repeated(at: .seconds(second))) == expected, "\(second) s")
        }
        let attached = session.receive(Envelope(.attached(CallReference(call: "call")), seq: 1), at: .seconds(1_121))
        #expect(try types(attached.replies) == ["ack", "hangup"])
        #expect(session.repeated(at: .seconds(2_000)).isEmpty)
    }

    @Test(
        "A call that the server has no room for: the app is told that its peer is gone, once, and the server is asked again"
    )
    func refusedAttach() throws {
        var session = ClientSession()
        func types(_ output: [[UInt8]]?) throws -> [String] {
            try (output ?? []).map { try Envelope<ClientMessage>(json: $0).message.type }
        }
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        _ = session.send(.invite("call", to: "bob"), at: .zero)
        let answer = Delivered(Answer(call: "call"), from: SignalingPeer(user: "bob", device: "b"), polite: false)
        _ = session.receive(Envelope(.answer(answer), seq: 1), at: .zero)
        session.disconnected()
        #expect(try types(session.welcomed(Self.welcome(resumed: false), at: .zero)) == ["attach"])
        let refusal = ServerMessage.error(SignalingErrorMessage(.tooManyCalls, "full", about: 1, call: "call"))
        let first = session.receive(Envelope(refusal, seq: 1), at: .seconds(1))
        #expect(first.message == refusal && first.consequence == .peer(PeerState(call: "call", state: .gone)))
        #expect(session.send(.negotiate("call"), at: .seconds(2)) == [], "it waits")
        #expect(try types(session.repeated(at: .seconds(60))) == ["attach"])
        let second = session.receive(Envelope(refusal, seq: 2), at: .seconds(61))
        #expect(second.message == refusal && second.consequence == nil)
        #expect(try types(session.repeated(at: .seconds(120))) == ["attach"])
        let attached = session.receive(Envelope(.attached(CallReference(call: "call")), seq: 3), at: .seconds(121))
        #expect(try types(attached.replies) == ["ack", "negotiate"])
        // Of another one, which does not wait, it says nothing.
        let later = session.receive(Envelope(refusal, seq: 4), at: .seconds(122))
        #expect(later.consequence == nil)
    }

    @Test("A gap asks for a new socket; a double is acknowledged and dropped")
    func gaps() {
        var session = ClientSession()
        _ = session.welcomed(Self.welcome(resumed: false), at: .zero)
        let reference = CallReference(call: "call")
        #expect(session.receive(Envelope(.noAnswer(reference), seq: 2), at: .zero).isGap)
        #expect(session.receive(Envelope(.noAnswer(reference), seq: 1), at: .zero).message != nil)
        let double = session.receive(Envelope(.noAnswer(reference), seq: 1), at: .zero)
        #expect(double.message == nil)
        #expect(double.replies.count == 1)
        #expect(!double.isGap)
    }

    @Test("More than is kept is refused")
    func bound() {
        var session = ClientSession()
        for _ in 0..<ClientSession.mostUnacknowledged {
            #expect(session.send(.signal("x", to: "bob"), at: .zero) != nil)
        }
        #expect(session.send(.signal("x", to: "bob"), at: .zero) == nil)
    }

    @Test("Waiting doubles up to its bound, and differs")
    func backoff() {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(8))
        var random = SeededGenerator(seed: 1)
        let waits = (0..<20).map { _ in backoff.next(using: &random) }
        for (index, wait) in waits.enumerated() {
            let whole = min(8, Double(1 << min(index, 10)))
            #expect(wait >= .seconds(whole / 2) && wait <= .seconds(whole))
        }
        #expect(Set(waits).count > 10)
        #expect(backoff.next(atLeast: .seconds(60), using: &random) == .seconds(60))
        backoff.reset()
        #expect(backoff.next(using: &random) <= .seconds(1))
    }

    private static func welcome(resumed: Bool, received: UInt64 = 0) -> Welcome {
        Welcome(user: "alice", device: "a", session: "secret", resumed: resumed, received: received, resumeWindow: 60)
    }
}

/// A ``ClientSession`` at a ``VirtualExchange``, over a connection that loses what is on its way when it is cut.
private struct CutLink {
    private let world: VirtualExchange
    private let end: RawEnd
    private var session = ClientSession()
    private var upward: [[UInt8]] = []
    private(set) var received: [ServerMessage] = []

    init(_ world: VirtualExchange) {
        self.world = world
        end = RawEnd(world)
    }

    var isConnected: Bool { end.isConnected }

    mutating func connect() {
        end.connect(resume: session.resume)
        deliverDown()
    }

    mutating func cut() {
        upward = []
        end.cut()
        session.disconnected()
    }

    mutating func send(_ message: ClientMessage) {
        upward += session.send(message, at: world.now) ?? []
    }

    mutating func deliver() {
        for _ in 0..<20 {
            let messages = upward
            upward = []
            for json in messages { end.send(json) }
            deliverDown()
        }
    }

    private mutating func deliverDown() {
        while let json = end.next() {
            guard let envelope = try? Envelope<ServerMessage>(json: json, limit: 1_000_000) else { continue }
            if case .welcome(let welcome) = envelope.message {
                upward += session.welcomed(welcome, at: world.now)
                continue
            }
            let reception = session.receive(envelope, at: world.now)
            #expect(!reception.isGap)
            upward += reception.replies
            if let message = reception.message { received.append(message) }
        }
    }
}
