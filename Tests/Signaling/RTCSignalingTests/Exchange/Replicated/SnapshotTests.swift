import Testing

@testable import RTCSignaling

@Suite("Snapshots of an exchange")
struct SnapshotTests {
    private static func bytes(_ exchange: MemoryExchange) -> [UInt8] {
        var writer = StateWriter()
        writer.write(exchange)
        return writer.bytes
    }

    private static func restored(_ bytes: [UInt8], seed: UInt64) throws -> MemoryExchange {
        let exchange = MemoryExchange(limits: RandomTraffic.limits, random: SeededGenerator(seed: seed))
        var reader = StateReader(bytes)
        try exchange.restore(from: &reader)
        guard reader.isAtEnd else { throw StateError() }
        return exchange
    }

    @Test("An exchange that is made of one goes on as the first does", arguments: 0..<60 as Range<UInt64>)
    func goesOn(seed: UInt64) throws {
        var exchanges = [MemoryExchange(limits: RandomTraffic.limits, random: SeededGenerator(seed: seed))]
        var traffic = RandomTraffic(seed: seed)
        var now = Duration.seconds(100)
        for round in 0..<700 {
            if round % 100 == 99 {
                // Both draw the same secrets from here on.
                for exchange in exchanges { exchange.random = SeededGenerator(seed: seed + UInt64(round)) }
                let copy = try Self.restored(Self.bytes(exchanges[0]), seed: seed + UInt64(round))
                #expect(copy.statistics == exchanges[0].statistics)
                #expect(copy.memory.bytes == exchanges[0].memory.bytes)
                exchanges = [exchanges[0], copy]
            }
            now += traffic.pause()
            let input = traffic.next()
            let outputs = exchanges.map { $0.outputs(for: input, at: now) }
            #expect(outputs.allSatisfy { $0 == outputs[0] }, "round \(round)")
            guard outputs.allSatisfy({ $0 == outputs[0] }) else { return }
            for output in outputs[0] { traffic.note(output) }
        }
        #expect(exchanges.count == 2)
        #expect(Self.bytes(exchanges[0]) == Self.bytes(exchanges[1]))
    }

    @Test("Devices that were busy and have left take the memory of one")
    func absentDevices() throws {
        let exchange = MemoryExchange(limits: ExchangeLimits(), random: SeededGenerator(seed: 1))
        func say(_ connection: UInt64, _ message: ClientMessage, seq: UInt64?) {
            let input = ExchangeInput.message(ConnectionID(rawValue: connection), Envelope(message, seq: seq))
            exchange.handle(input, at: .seconds(1))
        }
        for (number, device) in ["a", "b", "c", "d"].enumerated() {
            let signIn = ExchangeSignIn(
                user: number == 0 ? "alice" : "bob", device: SignalingDeviceID(stringLiteral: device))
            exchange.handle(.signIn(ConnectionID(rawValue: UInt64(number)), signIn), at: .seconds(1))
        }
        say(0, .invite("call", to: "bob"), seq: 1)
        for connection in 1...2 as ClosedRange<UInt64> {
            say(connection, .busy(CallReference(call: "call")), seq: 1)
            say(connection, .bye, seq: nil)
        }
        let copy = try Self.restored(Self.bytes(exchange), seed: 1)
        let gone = try #require(copy.calls["call"]).devices.map(\.session).filter(\.hasEnded)
        #expect(gone.count == 2 && Set(gone).count == 1)
        #expect(Self.bytes(copy) == Self.bytes(exchange))
    }

    @Test("A device that was busy, and answers after all, leaves the call when its session ends")
    func busyThatAnswers() throws {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        world.device("bob/c")
        alice.say(.invite("call", to: "bob"))
        bob.say(.busy("call"))
        bob.say(.answer("call"))
        #expect(alice.types() == ["answer"])
        bob.cut()
        world.advance(.seconds(61))
        #expect(
            alice.take() == [
                .peer(PeerState(call: "call", state: .away)), .peer(PeerState(call: "call", state: .gone)),
            ])
        // A session that is over is in no snapshot, and no call may refer to it.
        #expect(throws: Never.self) { try Self.restored(Self.bytes(world.exchange), seed: 1) }
        alice.cut()
        world.advance(.seconds(300))
        #expect(world.exchange.calls.isEmpty)
    }

    @Test("Calls end in no way that there is not: a snapshot of others' making cannot fill the counters")
    func endings() {
        let exchange = MemoryExchange(limits: ExchangeLimits(), random: SeededGenerator(seed: 1))
        exchange.counters.endings = ["declined": 3, "noAnswer": 4, "other": 5]
        #expect(throws: Never.self) { try Self.restored(Self.bytes(exchange), seed: 1) }
        exchange.counters.endings["nonsense"] = 1
        #expect(throws: StateError.self) { try Self.restored(Self.bytes(exchange), seed: 1) }
    }

    @Test("What is no snapshot is refused; what might be one does no harm", arguments: 0..<8 as Range<UInt64>)
    func hostile(seed: UInt64) {
        let exchange = MemoryExchange(limits: RandomTraffic.limits, random: SeededGenerator(seed: seed))
        var traffic = RandomTraffic(seed: seed)
        var now = Duration.seconds(100)
        for _ in 0..<200 {
            now += traffic.pause()
            exchange.handle(traffic.next(), at: now)
            while let output = exchange.nextOutput() { traffic.note(output) }
        }
        let bytes = Self.bytes(exchange)
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: StateError.self) { try Self.restored(Array(bytes[..<length]), seed: seed) }
        }
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var changed = bytes
            for _ in 0..<(1 + random.next() % 3) {
                changed[Int(random.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            guard let other = try? Self.restored(changed, seed: seed) else { continue }
            for _ in 0..<40 {
                now += traffic.pause()
                other.handle(traffic.next(), at: now)
                while other.nextOutput() != nil {}
            }
        }
    }
}
