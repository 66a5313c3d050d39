import Testing

@testable import RTCSignaling

@Suite("Push tokens in the state that servers share")
struct SharedPushTokenTests {
    private static let node = NodeID(rawValue: 1)

    /// A log of one node, whose clients are woken by pushes.
    private struct World {
        var state = ReplicatedState()
        private var ordinal: UInt64 = 0

        init() {
            var limits = ExchangeLimits()
            limits.ringsAbsentUsers = true
            let join = LogEntry.Join(settings: ReplicaSettings.encode(limits))
            _ = state.apply(LogEntry(node: SharedPushTokenTests.node, body: .join(join)), at: 1)
        }

        mutating func say(_ inputs: LoggedInput...) {
            ordinal += 1
            let batch = LogEntry.Batch(ordinal: ordinal, elapsed: .seconds(1), inputs: inputs)
            _ = state.apply(LogEntry(node: SharedPushTokenTests.node, body: .batch(batch)), at: state.position + 1)
        }

        mutating func signIn(_ connection: UInt64, _ user: UserID, isAuthenticated: Bool = true) {
            var signIn = ExchangeSignIn(user: user, device: "phone", isAuthenticated: isAuthenticated)
            signIn.chosen = ChosenSession(token: "secret\(connection)", device: "phone")
            say(.signIn(connection, signIn))
        }

        mutating func register(_ connection: UInt64, _ token: PushToken?) {
            let message = ClientMessage.pushToken(PushRegistration(token: token))
            say(.message(connection, Envelope(message), forbidden: []))
        }
    }

    private static func known(_ user: UserID, _ token: UInt8, age: Int) -> KnownPushToken {
        KnownPushToken(user: user, device: "phone", token: PushToken(token), age: .seconds(age))
    }

    @Test("A snapshot has them, with the time since they were registered, and what is said later changes them")
    func snapshot() throws {
        var world = World()
        world.signIn(1, "alice")
        world.signIn(2, "bob")
        world.signIn(3, "eve", isAuthenticated: false)
        world.register(1, PushToken(1))
        world.register(2, PushToken(2))
        world.register(3, PushToken(3))
        world.say(.message(1, Envelope(.bye), forbidden: []))
        var other = World()
        other.state = try ReplicatedState(snapshot: world.state.snapshot())
        let tokens = other.state.knownPushTokens.sorted { $0.user < $1.user }
        #expect(tokens == [Self.known("alice", 1, age: 3), Self.known("bob", 2, age: 2)])
        #expect(other.state.snapshot() == world.state.snapshot())
        // Somebody else signs in on Alice's phone.
        world.register(2, PushToken(1))
        #expect(world.state.knownPushTokens == [Self.known("bob", 1, age: 0)])
        world.register(2, nil)
        #expect(world.state.knownPushTokens.isEmpty)
    }

    @Test("A node that loads a snapshot tells its pushes of them, before what the log says next")
    func loading() throws {
        var world = World()
        world.signIn(1, "alice")
        world.register(1, PushToken(1))
        let replica = ExchangeReplica(limits: ExchangeLimits(), random: SeededGenerator(seed: 3), at: .zero)
        replica.handle(.loaded(world.state.snapshot()), at: .zero)
        var events: [RingEvent] = []
        while let effect = replica.nextEffect() {
            if case .output(.ring(let event)) = effect { events.append(event) }
        }
        #expect(events == [.known([Self.known("alice", 1, age: 0)])])
    }

    @Test("A device or a token that is there twice, too many of a user or of all, and one of the future are refused")
    func hostile() throws {
        func read(_ registrations: [PushRegistry.Registration]) throws -> PushRegistry {
            var writer = StateWriter()
            writer.write(list: registrations) { writer, entry in
                writer.write(entry.user)
                writer.write(entry.device)
                writer.write(entry.token)
                writer.write(entry.registeredAt)
            }
            writer.write(false)
            writer.write(Duration.zero)
            var reader = StateReader(writer.bytes)
            return try reader.pushTokens()
        }
        func registration(_ device: Int, _ token: Int) -> PushRegistry.Registration {
            ("bob", SignalingDeviceID(stringLiteral: "d\(device)"), PushToken(UInt8(token)), .zero)
        }
        #expect(try read([registration(1, 1), registration(2, 2)]).count == 2)
        #expect(throws: StateError.self) { try read([registration(1, 1), registration(2, 1)]) }
        #expect(throws: StateError.self) { try read([registration(1, 1), registration(1, 2)]) }
        #expect(try read((1...8).map { registration($0, $0) }).count == 8)
        #expect(throws: StateError.self) { try read((1...9).map { registration($0, $0) }) }
        // A count that the bytes do not have room for is not believed.
        var writer = StateWriter()
        writer.write(UInt64(PushRegistry.sharedLimits.tokens + 1))
        writer.append([UInt8](repeating: 0, count: PushRegistry.sharedLimits.tokens + 1))
        var reader = StateReader(writer.bytes)
        #expect(throws: StateError.self) { _ = try reader.pushTokens() }

        var world = World()
        world.signIn(1, "alice")
        world.register(1, PushToken(1))
        var future = PushRegistry(PushRegistry.sharedLimits)
        _ = future.register(PushToken(1), for: "alice/phone", at: world.state.time + .seconds(1))
        world.state.exchange.pushTokens = future
        #expect(throws: StateError.self) { try ReplicatedState(snapshot: world.state.snapshot()) }
        world.state.exchange.pushTokens = nil
        #expect(throws: StateError.self) { try ReplicatedState(snapshot: world.state.snapshot()) }
    }

    @Test("A snapshot that puts off the removal of expired tokens for longer than a registry does is refused")
    func postponed() {
        var world = World()
        world.signIn(1, "alice")
        let time = world.state.time
        func canRead(search: Duration?, sweep: Duration) -> Bool {
            world.state.exchange.pushTokens = PushRegistry(
                PushRegistry.sharedLimits, [], nextSearch: search, nextSweep: sweep)
            return (try? ReplicatedState(snapshot: world.state.snapshot())) != nil
        }
        #expect(canRead(search: nil, sweep: .zero))
        #expect(canRead(search: time + .seconds(60), sweep: time + .seconds(3_600)))
        #expect(!canRead(search: time + .seconds(61), sweep: time))
        #expect(!canRead(search: nil, sweep: time + .seconds(3_601)))
    }
}
