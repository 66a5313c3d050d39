import Testing

@testable import RTCSignaling

@Suite("A node at a log")
struct ExchangeReplicaTests {
    /// A node, whose log is in the hands of the test.
    private final class World {
        let replica: ExchangeReplica
        var now: Duration = .seconds(50)
        private(set) var log: [[UInt8]] = []
        private(set) var written: [[UInt8]] = []
        private(set) var outputs: [ExchangeOutput] = []
        private(set) var effects: [ExchangeReplica.Effect] = []

        init(_ options: ExchangeReplica.Options = ExchangeReplica.Options(), forbidden: UserID? = nil) {
            replica = ExchangeReplica(
                limits: ExchangeLimits(), options: options, random: SeededGenerator(seed: 3),
                mayReach: { $1 != forbidden }, at: now)
            collect()
            handle(.loaded(nil))
            handle(.caughtUp)
        }

        func handle(_ input: ExchangeReplica.Input) {
            replica.handle(input, at: now)
            collect()
        }

        private func collect() {
            while let effect = replica.nextEffect() {
                switch effect {
                case .append(let bytes, _): written.append(bytes)
                case .output(let output): outputs.append(output)
                default: effects.append(effect)
                }
            }
        }

        /// The log takes what was written, and tells of it; doubles too.
        func flush() {
            while !written.isEmpty {
                log.append(written.removeFirst())
                handle(.entry(log[log.count - 1], position: UInt64(log.count)))
            }
        }

        func wait(_ duration: Duration) {
            let end = now + duration
            while let deadline = replica.nextDeadline, deadline <= end {
                now = max(now, deadline)
                handle(.client(.timeout))
            }
            now = end
        }

        func signIn(_ number: UInt64, _ user: UserID) {
            let signIn = ExchangeSignIn(
                user: user, device: "d",
                iceServers: ICEServers(iceServers: [SignalingICEServer(urls: ["stun:example.org"])]))
            handle(.client(.signIn(ConnectionID(rawValue: number), signIn)))
        }

        func say(_ number: UInt64, _ message: ClientMessage, seq: UInt64? = nil) {
            handle(.client(.message(ConnectionID(rawValue: number), Envelope(message, seq: seq))))
        }

        func take() -> [ExchangeOutput] {
            defer { outputs = [] }
            return outputs
        }

        func takeWritten() -> [[UInt8]] {
            defer { written = [] }
            return written
        }
    }

    private func text(_ outputs: [ExchangeOutput]) -> String {
        outputs.map { output in
            if case .send(let connection, let json) = output {
                "\(connection.rawValue):\(String(decoding: json, as: UTF8.self))"
            } else {
                "\(output)"
            }
        }.joined(separator: "\n")
    }

    @Test("Nothing is said to a client before the log has it, and its ICE servers are in no entry")
    func logFirst() {
        let world = World()
        world.flush()
        world.signIn(1, "alice")
        #expect(world.take().isEmpty)
        #expect(!String(decoding: world.written.joined(), as: UTF8.self).contains("example.org"))
        world.flush()
        #expect(text(world.take()).contains("stun:example.org"))
        world.say(1, .invite("call", to: "nobody"), seq: 1)
        #expect(world.take().isEmpty)
        world.flush()
        #expect(text(world.take()).contains("unavailable"))
    }

    @Test("What comes while an entry is under way is in the next one, together")
    func batches() {
        let world = World()
        world.flush()
        world.signIn(1, "alice")
        for number in 2...9 { world.signIn(UInt64(number), UserID(stringLiteral: "user\(number)")) }
        #expect(world.written.count == 1)
        world.flush()
        #expect(world.log.count == 3)
        #expect(world.replica.statistics.sessions == 9)
    }

    @Test("An entry is written again until it is seen; if it is there twice, it counts once")
    func again() {
        let world = World()
        world.flush()
        world.signIn(1, "alice")
        world.handle(.appendFailed)
        world.wait(.milliseconds(300))
        #expect(world.written.count == 2 && world.written[0] == world.written[1])
        world.flush()
        #expect(world.replica.statistics.signIns == 1)
        #expect(text(world.take()).contains("welcome"))
    }

    @Test("A client that leaves before its sign-in was written leaves nothing in the log")
    func leavesEarly() {
        let world = World()
        world.signIn(1, "alice")
        world.say(1, .invite("call", to: "nobody"), seq: 1)
        world.handle(.client(.disconnected(ConnectionID(rawValue: 1))))
        world.flush()
        #expect(world.log.count == 1 && world.replica.waitingBytes == 0)
    }

    @Test("Many clients that leave before their sign-in was written cost no more than each of them")
    func manyLeaveEarly() {
        let world = World()
        let count: UInt64 = 40_000
        for number in 1...count { world.signIn(number, "alice") }
        let time = ContinuousClock().measure {
            for number in 1...count { world.handle(.client(.disconnected(ConnectionID(rawValue: number)))) }
        }
        #expect(time < .seconds(2))
        world.signIn(count + 1, "bob")
        world.flush()
        #expect(world.log.count == 2 && world.replica.waitingBytes == 0 && world.replica.waiting.isEmpty)
        #expect(world.replica.statistics.signIns == 1)
    }

    @Test("A message that no entry can have is refused, and stops nobody")
    func tooLongForAnEntry() {
        let world = World()
        world.flush()
        world.signIn(1, "alice")
        world.signIn(2, "bob")
        world.flush()
        _ = world.take()
        let long = String(repeating: "x", count: LogEntry.maximumSize)
        world.say(1, .unknown(type: long), seq: 1)
        world.say(1, .unknown(type: long))
        world.say(1, .signal("hi", to: "bob"), seq: 2)
        world.flush()
        let said = text(world.take())
        #expect(said.contains("1:") && said.contains("tooLarge") && said.contains("2:"))
        #expect(world.replica.writing == nil && world.replica.statistics.errors == 1)
    }

    @Test("Without the log, new clients and calls are refused, what runs waits; then all are sent away")
    func withoutLog() {
        let world = World()
        world.flush()
        world.signIn(1, "alice")
        world.signIn(2, "bob")
        world.flush()
        _ = world.take()
        world.say(1, .candidates("call"), seq: 1)
        _ = world.takeWritten()
        world.wait(.seconds(5))
        #expect(world.take().isEmpty)
        world.signIn(3, "carol")
        let refusal = text(world.take())
        #expect(refusal.contains("3:") && refusal.contains("retryAfter") && refusal.contains("internal"))
        world.say(2, .invite("call2", to: "alice"), seq: 1)
        #expect(text(world.take()).contains("2:"))
        world.say(1, .hangup("call"), seq: 2)
        #expect(world.take().isEmpty)
        world.wait(.seconds(4))
        #expect(text(world.take()).contains("1:"))
        #expect(world.effects.contains(.report(.cutOff)))
        // Under another name it begins again.
        world.flush()
        world.signIn(4, "dave")
        world.flush()
        #expect(text(world.take()).contains("welcome"))
        #expect(world.replica.state.members.count == 1)
    }

    @Test("A gap in the log: everything is loaded again")
    func gap() {
        let world = World()
        world.flush()
        world.signIn(1, "alice")
        world.flush()
        _ = world.take()
        world.handle(.entry([1, 2, 3], position: 99))
        #expect(world.effects.suffix(2) == [.report(.gap), .load])
        #expect(text(world.take()).contains("1:"))
        #expect(world.replica.phase == .reading)
    }

    @Test("Bytes that are no entry are passed over by everybody")
    func noEntry() {
        let world = World()
        world.flush()
        world.handle(.entry([9, 9, 9], position: UInt64(world.log.count + 1)))
        #expect(world.replica.state.unreadable == 1 && world.replica.state.position == 2)
        #expect(world.replica.phase == .member(serial: 1))
    }

    @Test("Whom a client may not reach is found out at its node")
    func forbidden() {
        let world = World(forbidden: "bob")
        world.flush()
        world.signIn(1, "alice")
        world.signIn(2, "bob")
        world.flush()
        _ = world.take()
        world.say(1, .signal("hi", to: "bob"), seq: 1)
        world.flush()
        #expect(text(world.take()).contains("forbidden"))
    }

    @Test("A token that is renewed is in no entry")
    func renewal() {
        let world = World()
        world.flush()
        world.signIn(1, "alice")
        world.flush()
        _ = world.take()
        world.handle(.client(.message(ConnectionID(rawValue: 1), Envelope(.renew(Renewal(token: "geheim")), ack: 0))))
        #expect(!String(decoding: world.written.joined(), as: UTF8.self).contains("geheim"))
        world.flush()
        #expect(world.take().isEmpty)
    }

    @Test("A node is ready while it is a member, and what it writes comes back")
    func readiness() {
        let world = World()
        #expect(!world.replica.isReady)
        world.flush()
        #expect(world.replica.isReady)
        world.wait(.seconds(3))
        #expect(world.replica.isReady)
        world.wait(.seconds(2))
        #expect(!world.replica.isReady)
        world.flush()
        #expect(world.replica.isReady)
        world.handle(.lost)
        #expect(!world.replica.isReady)
    }

    @Test("A client is charged for what its messages cause, at whatever node; for what two receive it is not")
    func charges() {
        let world = World()
        world.flush()
        world.signIn(1, "alice")
        world.signIn(2, "bob")
        world.flush()
        let others = (0..<40).map { UserID(stringLiteral: "user\($0)") }
        _ = world.take()
        world.say(1, .watch(Watch(users: others)))
        world.flush()
        let charges = world.take().compactMap { output -> [Int]? in
            if case .charge(let connection, let messages, let bytes, false) = output {
                [Int(connection.rawValue), messages, bytes]
            } else {
                nil
            }
        }
        #expect(charges.count == 1 && charges[0][0] == 1 && charges[0][1] == 38 && charges[0][2] > 1_000)
        world.say(2, .invite("call", to: "alice"), seq: 1)
        world.flush()
        let isCharged = world.take().contains { if case .charge(_, 1..., _, _) = $0 { true } else { false } }
        #expect(!isCharged)
    }

    @Test("The more sessions there are, the fewer snapshots are stored")
    func rareSnapshots() {
        var options = ExchangeReplica.Options()
        options.snapshotInterval = 5
        let world = World(options)
        world.flush()
        for number in 1...20 { world.signIn(UInt64(number), UserID(stringLiteral: "user\(number)")) }
        for _ in 0..<21 {
            world.flush()
            world.wait(.seconds(1))
        }
        let saved = world.effects.compactMap { effect -> UInt64? in
            if case .save(_, let position) = effect { position } else { nil }
        }
        #expect(saved.count == 1 && saved[0] >= 20)
    }

    @Test("The first node stores snapshots, says so in the log, and then trims what the one before has in it")
    func snapshots() {
        var options = ExchangeReplica.Options()
        options.snapshotInterval = 5
        let world = World(options)
        for _ in 0..<30 {
            world.flush()
            world.wait(.seconds(1))
            if world.replica.saving != nil { world.handle(.saved) }
        }
        let saved = world.effects.compactMap { effect -> UInt64? in
            if case .save(_, let position) = effect { position } else { nil }
        }
        let trimmed = world.effects.compactMap { effect -> UInt64? in
            if case .trim(let position) = effect { position } else { nil }
        }
        #expect(saved.count >= 4 && trimmed == Array(saved.dropLast()))
    }
}
