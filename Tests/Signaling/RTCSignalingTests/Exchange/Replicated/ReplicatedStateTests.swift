import Testing

@testable import RTCSignaling

@Suite("What a log says")
struct ReplicatedStateTests {
    /// A log and the state behind it.
    private struct World {
        var state = ReplicatedState()
        private var position: UInt64 = 0
        private var ordinals: [UInt64: UInt64] = [:]

        @discardableResult
        mutating func join(_ node: UInt64, _ limits: ExchangeLimits = ExchangeLimits(), elapsed: Duration = .zero)
            -> ReplicatedState.Verdict
        {
            join(node, settings: ReplicaSettings.encode(limits), elapsed: elapsed)
        }

        @discardableResult
        mutating func join(
            _ node: UInt64, settings: [UInt8], elapsed: Duration = .zero
        ) -> ReplicatedState.Verdict {
            position += 1
            let join = LogEntry.Join(settings: settings, elapsed: elapsed)
            return state.apply(LogEntry(node: NodeID(rawValue: node), body: .join(join)), at: position)
        }

        @discardableResult
        mutating func say(
            _ node: UInt64, after elapsed: Duration = .seconds(1), ordinal: UInt64? = nil, _ inputs: LoggedInput...
        ) -> ReplicatedState.Verdict {
            position += 1
            let next = ordinal ?? (ordinals[node] ?? 0) + 1
            ordinals[node] = max(ordinals[node] ?? 0, next)
            let batch = LogEntry.Batch(ordinal: next, elapsed: elapsed, inputs: inputs)
            return state.apply(LogEntry(node: NodeID(rawValue: node), body: .batch(batch)), at: position)
        }
    }

    /// The settings of a node of another version.
    private static var otherSettings: [UInt8] {
        var writer = StateWriter()
        writer.write(ReplicaSettings.rules + 1)
        writer.append([7, 7, 7])
        return writer.bytes
    }

    /// The beginning of a snapshot.
    private static func head(_ rules: UInt64) -> StateWriter {
        var writer = StateWriter()
        writer.write(Array("duet exchange 1".utf8))
        writer.write(rules)
        return writer
    }

    private static var signIn: ExchangeSignIn {
        var signIn = ExchangeSignIn(user: "alice", device: "a")
        signIn.chosen = ChosenSession(token: "secret", device: "a")
        return signIn
    }

    @Test("Two nodes that write in turns count the time once")
    func time() {
        var world = World()
        world.join(1)
        world.join(2)
        for _ in 0..<10 {
            world.say(1)
            world.say(2)
        }
        #expect(world.state.time == .seconds(10))
    }

    @Test("A log that stood still is no time: one entry moves it by two seconds at most")
    func standstill() {
        var world = World()
        world.join(1)
        world.say(1, after: .seconds(3_600))
        #expect(world.state.time == .seconds(2))
        #expect(world.state.members.count == 1)
    }

    @Test("A node is dead when nothing was heard of it for eight seconds: its clients are disconnected")
    func silence() {
        var world = World()
        world.join(1)
        world.join(2)
        let signIn = Self.signIn
        world.say(2, .signIn(5, signIn))
        #expect(world.state.exchange.statistics.sessions == 1)
        for _ in 0..<9 { world.say(1) }
        #expect(world.state.members.count == 2 && world.state.exchange.statistics.sessionsAway == 0)
        world.say(1)
        #expect(world.state.members.keys.map(\.rawValue) == [1])
        #expect(world.state.exchange.statistics.sessionsAway == 1)
        // What it says late is ignored, and it does not come back under this name.
        #expect(world.say(2) == .ignored)
        #expect(world.join(2) == .ignored)
        #expect(world.join(3) == .accepted)
    }

    @Test("A double is ignored, and so is what comes before its turn")
    func doubles() {
        var world = World()
        world.join(1)
        let signIn = Self.signIn
        #expect(world.say(1, ordinal: 1, .signIn(5, signIn)) == .accepted)
        #expect(world.say(1, ordinal: 1, .signIn(5, signIn)) == .ignored)
        #expect(world.say(1, ordinal: 3) == .ignored)
        #expect(world.say(1, ordinal: 2) == .accepted)
        #expect(world.join(1) == .ignored)
        #expect(world.state.exchange.statistics.signIns == 1)
        #expect(world.say(9) == .ignored)
    }

    @Test("A node with other limits waits until the others have gone, and counts the time meanwhile")
    func settings() {
        var world = World()
        world.join(1)
        var limits = ExchangeLimits()
        limits.devicesPerUser = 3
        #expect(world.join(2, limits) == .refused)
        for _ in 0..<8 { #expect(world.join(2, limits, elapsed: .seconds(1)) == .refused) }
        #expect(world.join(2, limits, elapsed: .seconds(1)) == .accepted)
        #expect(world.state.exchange.limits.devicesPerUser == 3)
        #expect(world.say(1) == .ignored)
    }

    @Test("A secret or a connection that is taken makes no other session")
    func taken() throws {
        var world = World()
        world.join(1)
        var other = Self.signIn
        other.user = "bob"
        world.say(1, .signIn(5, Self.signIn), .signIn(6, other))
        other.chosen?.token = "another secret"
        world.say(1, .signIn(5, other))
        #expect(world.state.exchange.statistics.sessions == 1 && world.state.unreadable == 2)
        world.say(1, .signIn(6, other))
        #expect(world.state.exchange.statistics.sessions == 2)
        #expect(try ReplicatedState(snapshot: world.state.snapshot()).snapshot() == world.state.snapshot())
    }

    @Test("A snapshot has the nodes and the time, too", arguments: [0, 3, 12])
    func snapshot(seconds: Int) throws {
        var world = World()
        world.join(1)
        world.join(2)
        world.say(2, .signIn(5, Self.signIn))
        for _ in 0..<seconds { world.say(1) }
        let bytes = world.state.snapshot()
        let copy = try ReplicatedState(snapshot: bytes)
        #expect(copy.members == world.state.members && copy.time == world.state.time)
        #expect(copy.position == world.state.position && copy.first == world.state.first)
        #expect(copy.snapshot() == bytes)
        for length in 0..<bytes.count {
            #expect(throws: StateError.self) { try ReplicatedState(snapshot: Array(bytes[..<length])) }
        }
    }

    @Test("A snapshot in which two nodes are the same, or whose position has no end, is refused")
    func impossibleSnapshots() throws {
        var world = World()
        world.join(1)
        world.join(2)
        let bytes = world.state.snapshot()
        // Their number; and of each the name, the serial, the last entry, and two times of two numbers.
        let nodes: [UInt8] = [2, 1, 1, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0]
        let place = try #require(bytes.firstRange(of: nodes)).lowerBound
        for offset in [8, 9] {
            var changed = bytes
            changed[place + offset] = 1
            #expect(throws: StateError.self) { try ReplicatedState(snapshot: changed) }
        }
        let empty = ReplicatedState().snapshot()
        var head = StateWriter()
        head.write(Array("duet exchange 1".utf8))
        head.write(ReplicaSettings.rules)
        #expect(Array(empty.prefix(head.bytes.count)) == head.bytes)
        let rest = empty.dropFirst(head.bytes.count + 1)
        head.write(UInt64.max)
        #expect(throws: StateError.self) { try ReplicatedState(snapshot: head.bytes + rest) }
    }

    @Test("A node of another version is waited for, too, and nothing that its clients say counts here")
    func otherRules() {
        var world = World()
        #expect(world.join(1, settings: Self.otherSettings) == .accepted)
        #expect(world.join(2, settings: Self.otherSettings) == .accepted)
        world.say(1, .signIn(5, Self.signIn))
        #expect(world.state.exchange.statistics.sessions == 0 && world.state.members.count == 2)
        #expect(world.join(3) == .refused)
        for _ in 0..<8 { #expect(world.join(3, elapsed: .seconds(1)) == .refused) }
        #expect(world.join(3, elapsed: .seconds(1)) == .accepted)
        #expect(world.say(1) == .ignored)
        world.say(3, .signIn(5, Self.signIn))
        #expect(world.state.exchange.statistics.sessions == 1 && world.state.members.count == 1)
        // Such nodes come back: the state is theirs from then on, and nothing of this one is left.
        for _ in 0..<10 { world.join(4, settings: Self.otherSettings, elapsed: .seconds(1)) }
        #expect(world.state.members.keys.map(\.rawValue) == [4])
        #expect(world.state.exchange.statistics.sessions == 0)
    }

    @Test(
        "Of a snapshot of another version, it is read who lives: nodes that begin with it agree with those that read the log"
    )
    func otherSnapshot() throws {
        var world = World()
        world.join(1, settings: Self.otherSettings)
        for _ in 0..<5 { world.say(1) }
        let bytes = world.state.snapshot()
        let own = Self.head(ReplicaSettings.rules).bytes
        #expect(bytes.starts(with: own))
        let other = Self.head(ReplicaSettings.rules + 1).bytes + bytes.dropFirst(own.count) + [1, 2, 3]
        world.state = try ReplicatedState(snapshot: other)
        #expect(world.state.members.keys.map(\.rawValue) == [1] && world.state.time == .seconds(5))
        #expect(world.say(1, .signIn(5, Self.signIn)) == .accepted)
        #expect(world.state.exchange.statistics.sessions == 0)
        #expect(world.join(3) == .refused)
        for _ in 0..<9 { world.join(3, elapsed: .seconds(1)) }
        #expect(world.state.members.keys.map(\.rawValue) == [3])
        world.say(3, .signIn(5, Self.signIn))
        #expect(world.state.exchange.statistics.sessions == 1)
        let copy = try ReplicatedState(snapshot: world.state.snapshot())
        #expect(copy.snapshot() == world.state.snapshot())
    }

    @Test("A snapshot with numbers that have no room to grow is refused")
    func noRoom() {
        var world = World()
        world.join(1)
        let head = Self.head(ReplicaSettings.rules)
        // The position is one byte: 1.
        let rest = world.state.snapshot().dropFirst(head.bytes.count + 1)
        for position in [UInt64.max, 1 << 63, 2] {
            var changed = head
            changed.write(position)
            changed.append(Array(rest))
            let state = try? ReplicatedState(snapshot: changed.bytes)
            #expect((state == nil) == (position > 2), "\(position)")
        }
    }
}
