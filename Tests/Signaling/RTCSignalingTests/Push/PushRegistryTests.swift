import Testing

@testable import RTCSignaling

extension PushToken {
    /// Tests give tokens a number.
    init(_ number: UInt8) {
        guard let token = PushToken(bytes: [UInt8](repeating: number, count: 32)) else {
            preconditionFailure("no token: \(number)")
        }
        self = token
    }
}

@Suite("The push tokens of devices")
struct PushRegistryTests {
    private func devices(_ registry: PushRegistry, _ address: SignalingAddress, at now: Duration = .zero) -> [String] {
        registry.tokens(of: address, at: now).map(\.device.rawValue)
    }

    @Test("A user's devices, or the one that is called")
    func addresses() {
        var registry = PushRegistry(PushLimits())
        #expect(registry.register(PushToken(1), for: "bob/phone", at: .zero) == true)
        #expect(registry.register(PushToken(2), for: "bob/pad", at: .zero) == true)
        #expect(registry.register(PushToken(3), for: "alice/phone", at: .zero) == true)
        #expect(devices(registry, "bob") == ["pad", "phone"])
        #expect(devices(registry, "bob/phone") == ["phone"])
        #expect(devices(registry, "bob/mac").isEmpty && devices(registry, "eve").isEmpty)
        registry.remove("bob/phone")
        registry.remove("bob/phone")
        registry.remove("eve/phone")
        #expect(devices(registry, "bob") == ["pad"] && registry.count == 2)
    }

    @Test("A device has one token, and a token is of one device: the last that has proved to have it")
    func owners() {
        var registry = PushRegistry(PushLimits())
        _ = registry.register(PushToken(1), for: "bob/phone", at: .zero)
        _ = registry.register(PushToken(2), for: "bob/phone", at: .zero)
        #expect(registry.count == 1 && registry.tokens(of: "bob", at: .zero).map(\.token) == [PushToken(2)])
        _ = registry.register(PushToken(2), for: "alice/phone", at: .zero)
        #expect(devices(registry, "bob").isEmpty && devices(registry, "alice") == ["phone"])
        // Whose token it was removes nothing of its present owner.
        registry.remove("bob/phone")
        #expect(devices(registry, "alice") == ["phone"] && registry.count == 1)
    }

    @Test("A token that is not renewed expires")
    func expiry() {
        var limits = PushLimits()
        limits.tokenLifetime = .seconds(100)
        var registry = PushRegistry(limits)
        _ = registry.register(PushToken(1), for: "bob/phone", at: .zero)
        _ = registry.register(PushToken(2), for: "bob/pad", at: .zero)
        _ = registry.register(PushToken(2), for: "bob/pad", at: .seconds(60))
        #expect(devices(registry, "bob", at: .seconds(99)) == ["pad", "phone"])
        #expect(devices(registry, "bob", at: .seconds(100)) == ["pad"])
        registry.sweep(at: .seconds(100))
        #expect(registry.count == 1)
    }

    @Test("A user has so many and no more; all users together too, and nobody loses one for another")
    func bounds() {
        var limits = PushLimits()
        (limits.tokensPerUser, limits.tokens, limits.tokenLifetime) = (2, 3, .seconds(100))
        var registry = PushRegistry(limits)
        for number in 1...20 {
            let owner = SignalingAddress(user: "mallory", device: SignalingDeviceID(rawValue: "d\(number)"))
            #expect(registry.register(PushToken(UInt8(number)), for: owner, at: .seconds(number)) == true)
        }
        #expect(devices(registry, "mallory", at: .seconds(20)) == ["d19", "d20"])
        #expect(registry.register(PushToken(30), for: "bob/phone", at: .seconds(21)) == true)
        #expect(registry.register(PushToken(31), for: "carol/phone", at: .seconds(22)) == false)
        #expect(registry.register(PushToken(32), for: "bob/phone", at: .seconds(23)) == true, "in place of its own")
        #expect(registry.count == 3)
        // What has expired makes room.
        #expect(registry.register(PushToken(31), for: "carol/phone", at: .seconds(120)) == true)
    }

    @Test("Stored tokens are there again, with their age; what is worth storing counts")
    func stored() throws {
        var limits = PushLimits()
        limits.tokenLifetime = .seconds(1_000)
        var registry = PushRegistry(limits)
        _ = registry.register(PushToken(1), for: "bob/phone", at: .seconds(50))
        _ = registry.register(PushToken(2), for: "alice/pad", at: .seconds(90))
        let before = registry.changes
        _ = registry.register(PushToken(2), for: "alice/pad", at: .seconds(100))
        #expect(registry.changes == before, "the same again")
        _ = registry.register(PushToken(2), for: "alice/pad", at: .seconds(100 + 86_400))
        #expect(registry.changes > before, "after a day")
        _ = registry.register(PushToken(2), for: "alice/pad", at: .seconds(100))
        let stored = registry.stored(at: .seconds(100), time: 5_000).sorted { $0.user < $1.user }
        #expect(stored.map(\.user) == ["alice", "bob"] && stored.map(\.registeredAt) == [5_000, 4_950])

        var next = PushRegistry(limits)
        let old = StoredPushToken(user: "carol", device: "c", token: PushToken(3), registeredAt: 4_000)
        let future = StoredPushToken(user: "dave", device: "d", token: PushToken(4), registeredAt: 9_000)
        let odd = StoredPushToken(user: "eve", device: "e", token: PushToken(5), registeredAt: .min)
        let twice = StoredPushToken(user: "frank", device: "f", token: PushToken(1), registeredAt: 4_900)
        next.restore(stored + [old, future, odd, twice], at: .seconds(7), time: 5_010)
        #expect(next.stored(at: .seconds(7), time: 5_010).map(\.user).sorted() == ["alice", "bob", "dave"])
        #expect(devices(next, "bob", at: .seconds(946)) == ["phone"] && devices(next, "bob", at: .seconds(947)).isEmpty)
    }

    @Test("Tokens of other servers are learnt with their age; of two that are known, the later registration counts")
    func learnt() {
        var limits = PushLimits()
        (limits.tokenLifetime, limits.tokens) = (.seconds(100), 3)
        var registry = PushRegistry(limits)
        _ = registry.register(PushToken(1), for: "bob/phone", at: .seconds(1_000))
        _ = registry.register(PushToken(2), for: "alice/phone", at: .seconds(1_090))
        let changes = registry.changes
        registry.learn(
            [
                KnownPushToken(user: "bob", device: "phone", token: PushToken(3), age: .seconds(10)),
                KnownPushToken(user: "alice", device: "phone", token: PushToken(4), age: .seconds(20)),
                KnownPushToken(user: "dave", device: "d", token: PushToken(5), age: .seconds(100)),
            ], at: .seconds(1_099))
        #expect(registry.tokens(of: "bob", at: .seconds(1_099)).map(\.token) == [PushToken(3)])
        #expect(registry.tokens(of: "alice", at: .seconds(1_099)).map(\.token) == [PushToken(2)])
        #expect(registry.count == 2 && registry.changes > changes)
        #expect(devices(registry, "bob", at: .seconds(1_188)) == ["phone"])
        #expect(devices(registry, "bob", at: .seconds(1_189)).isEmpty)
        // A token of two owners is that of the last, and the oldest go if there are too many.
        registry.learn(
            [
                KnownPushToken(user: "eve", device: "e", token: PushToken(3), age: .seconds(1)),
                KnownPushToken(user: "frank", device: "f", token: PushToken(6), age: .seconds(2)),
                KnownPushToken(user: "grace", device: "g", token: PushToken(7), age: .seconds(50)),
            ], at: .seconds(1_100))
        #expect(registry.stored(at: .seconds(1_100), time: 0).map(\.user).sorted() == ["alice", "eve", "frank"])
    }

    @Test("A dead token goes, unless it was registered after it had died")
    func dead() {
        var registry = PushRegistry(PushLimits())
        _ = registry.register(PushToken(1), for: "bob/phone", at: .seconds(1_000))
        #expect(registry.drop(PushToken(1), deadSince: .seconds(60), at: .seconds(1_010)) == false)
        #expect(registry.drop(PushToken(1), deadSince: .seconds(5), at: .seconds(1_010)) == true)
        _ = registry.register(PushToken(2), for: "bob/phone", at: .seconds(1_000))
        #expect(registry.drop(PushToken(2), deadSince: nil, at: .seconds(1_000)) == true)
        #expect(!registry.drop(PushToken(3), deadSince: nil, at: .seconds(1_000)) && registry.count == 0)
    }
}

@Suite("How often users may wake each other")
struct PushBudgetTests {
    private func calls(
        _ budget: inout PushBudget, from callers: [UserID], to callee: UserID, at now: Duration
    ) -> Int {
        callers.count { budget.take(from: $0, to: callee, at: now) }
    }

    private let strangers = (1...500).compactMap { UserID(rawValue: "stranger\($0)") }

    @Test("One caller wakes one callee a few times, and again after a while")
    func pair() {
        var budget = PushBudget(PushLimits())
        #expect(calls(&budget, from: Array(repeating: "alice", count: 10), to: "bob", at: .zero) == 3)
        #expect(calls(&budget, from: ["alice"], to: "bob", at: .seconds(29)) == 0)
        #expect(calls(&budget, from: ["alice", "alice"], to: "bob", at: .seconds(31)) == 1)
    }

    @Test("One caller cannot wake everybody")
    func caller() {
        var budget = PushBudget(PushLimits())
        #expect(strangers.count { budget.take(from: "mallory", to: $0, at: .zero) } == 20)
        #expect(budget.take(from: "alice", to: "stranger500", at: .zero) == true)
    }

    @Test("Many callers cannot use a callee's budget up: acquaintances still ring, and others later")
    func callee() {
        var budget = PushBudget(PushLimits())
        budget.met("alice", "bob")
        #expect(calls(&budget, from: strangers, to: "bob", at: .zero) == 20)
        #expect(calls(&budget, from: ["alice", "alice", "alice"], to: "bob", at: .zero) == 3)
        // The strangers go on for an hour at full rate.
        var woken = 0
        for second in 1...3_600 {
            woken += calls(&budget, from: strangers.suffix(5), to: "bob", at: .seconds(second))
            if second.isMultiple(of: 600) {
                #expect(budget.take(from: "alice", to: "bob", at: .seconds(second)) == true, "after \(second) s")
            }
        }
        #expect(woken <= 361)
        // Bob knows Alice as she knows him.
        #expect(budget.take(from: "bob", to: "alice", at: .zero) == true)
    }

    @Test("Who calls oneself, or is called by thousands, makes no acquaintances and no endless tables")
    func tables() {
        var budget = PushBudget(PushLimits())
        budget.met("bob", "bob")
        for stranger in strangers { budget.met(stranger, "bob") }
        #expect(calls(&budget, from: Array(strangers.prefix(100)), to: "bob", at: .zero) == 20)
        #expect(calls(&budget, from: Array(strangers.suffix(32)), to: "bob", at: .zero) == 10)
        var table = RateTable<Int>()
        let limit = PushLimits.Rate(every: .seconds(1), burst: 1).limit
        for key in 0..<10_000 { table.take(of: key, limit, at: .seconds(key)) }
        #expect(table.count <= 2_048)
    }
}
