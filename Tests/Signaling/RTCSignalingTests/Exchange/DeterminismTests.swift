import Testing

@testable import RTCSignaling

/// Each dictionary and set hashes by a seed of its own, so that two exchanges of one process are enough to find what depends on that.
@Suite("An exchange depends on its inputs alone")
struct DeterminismTests {
    @Test("Two that are fed alike say the same", arguments: 0..<60 as Range<UInt64>)
    func alike(seed: UInt64) {
        let exchanges = (0..<2).map { _ in
            MemoryExchange(limits: RandomTraffic.limits, random: SeededGenerator(seed: seed))
        }
        var traffic = RandomTraffic(seed: seed)
        var now = Duration.seconds(100)
        for _ in 0..<600 {
            now += traffic.pause()
            let input = traffic.next()
            let outputs = exchanges.map { $0.outputs(for: input, at: now) }
            #expect(outputs[0] == outputs[1])
            guard outputs[0] == outputs[1] else { return }
            for output in outputs[0] { traffic.note(output) }
        }
        #expect(exchanges[0].statistics == exchanges[1].statistics)
        #expect(exchanges[0].nextDeadline == exchanges[1].nextDeadline)
    }

    @Test("The traffic of this test reaches the limits where something is chosen")
    func reachesLimits() {
        var evicted: UInt64 = 0
        var glares: UInt64 = 0
        var answers: UInt64 = 0
        for seed in 0..<60 as Range<UInt64> {
            let exchange = MemoryExchange(limits: RandomTraffic.limits, random: SeededGenerator(seed: seed))
            var traffic = RandomTraffic(seed: seed)
            var now = Duration.seconds(100)
            for _ in 0..<600 {
                now += traffic.pause()
                exchange.handle(traffic.next(), at: now)
                while let output = exchange.nextOutput() { traffic.note(output) }
            }
            evicted += exchange.statistics.sessionsEvicted
            glares += exchange.statistics.glares
            answers += exchange.statistics.answers
        }
        #expect(evicted > 50 && glares > 5 && answers > 50)
    }

    @Test("Of many who watch a user, each is told in the order in which they began")
    func watchers() {
        let exchange = MemoryExchange(random: SeededGenerator(seed: 1))
        for number in 1...40 as ClosedRange<UInt64> {
            let user = UserID(stringLiteral: "watcher\(number)")
            exchange.handle(.signIn(ConnectionID(rawValue: number), ExchangeSignIn(user: user)), at: .zero)
            let watch = Envelope(ClientMessage.watch(Watch(users: ["bob"])))
            exchange.handle(.message(ConnectionID(rawValue: number), watch), at: .zero)
        }
        while exchange.nextOutput() != nil {}
        exchange.handle(.signIn(ConnectionID(rawValue: 99), ExchangeSignIn(user: "bob", device: "b")), at: .zero)
        var told: [UInt64] = []
        while case .send(let connection, _)? = exchange.nextOutput() {
            if connection.rawValue < 99 { told.append(connection.rawValue) }
        }
        #expect(told == Array(1...40))
    }

    @Test("A sign-in that was on its way while its device signed in elsewhere takes nothing from it")
    func outdatedSignIn() {
        let exchange = MemoryExchange(random: SeededGenerator(seed: 1))
        func signIn(_ connection: UInt64, seen: UInt64, at position: UInt64) -> [ExchangeOutput] {
            exchange.position = position
            var signIn = ExchangeSignIn(user: "alice", device: "a", isAuthenticated: true)
            signIn.seen = seen
            exchange.handle(.signIn(ConnectionID(rawValue: connection), signIn), at: .zero)
            var outputs: [ExchangeOutput] = []
            while let output = exchange.nextOutput() { outputs.append(output) }
            return outputs
        }
        _ = signIn(1, seen: 0, at: 5)
        let late = signIn(2, seen: 4, at: 6)
        #expect(late.last == .close(ConnectionID(rawValue: 2), .internal))
        #expect(exchange.statistics.sessions == 1 && exchange.statistics.signIns == 1)
        let next = signIn(3, seen: 5, at: 7)
        #expect(next.contains(.close(ConnectionID(rawValue: 1), .replaced)))
        #expect(exchange.statistics.signIns == 2)
    }
}
