import Testing

@testable import RTCSignaling

/// What one network sends as fast as it may delays nobody else by more than some short entries.
@Suite("A log that one network floods")
struct FloodedLogTests {
    /// A node at a log that takes a millisecond for an entry, and one more for each 10,000 bytes of it.
    private final class World {
        let replica = ExchangeReplica(limits: ExchangeLimits(), random: SeededGenerator(seed: 5), at: .zero)
        private(set) var now: Duration = .zero
        private(set) var entries = 0
        private(set) var longestEntry = 0
        private(set) var closed = 0
        /// When a signal was last sent to a connection.
        private(set) var heard: [UInt64: Duration] = [:]
        private var underWay: (bytes: [UInt8], end: Duration)?

        init() {
            handle(.loaded(nil))
            handle(.caughtUp)
            wait(.milliseconds(10))
        }

        private func handle(_ input: ExchangeReplica.Input) {
            replica.handle(input, at: now)
            while let effect = replica.nextEffect() {
                switch effect {
                case .append(let bytes, _):
                    underWay = (bytes, now + .milliseconds(1) + .microseconds(bytes.count / 10))
                    longestEntry = max(longestEntry, bytes.count)
                case .output(.send(let connection, let json)):
                    if json.count < 1_000, String(decoding: json, as: UTF8.self).contains(#""signal""#) {
                        heard[connection.rawValue] = now
                    }
                case .output(.close): closed += 1
                default: break
                }
            }
        }

        func wait(_ duration: Duration, each step: () -> Void = {}) {
            let end = now + duration
            while now < end {
                now += .milliseconds(1)
                if let entry = underWay, entry.end <= now {
                    underWay = nil
                    entries += 1
                    handle(.entry(entry.bytes, position: UInt64(entries)))
                }
                handle(.client(.timeout))
                step()
            }
        }

        func signIn(_ number: UInt64, _ user: UserID, network: String) {
            let signIn = ExchangeSignIn(user: user, device: "d", network: network)
            handle(.client(.signIn(ConnectionID(rawValue: number), signIn)))
        }

        func say(_ number: UInt64, _ text: String, to user: UserID, seq: UInt64) {
            let envelope = Envelope(ClientMessage.signal(text, to: SignalingAddress(user: user)), seq: seq)
            handle(.client(.message(ConnectionID(rawValue: number), envelope)))
        }

        func leave(_ number: UInt64) {
            handle(.client(.disconnected(ConnectionID(rawValue: number))))
        }
    }

    @Test("A signal waits for two short entries, however much another network says to those who are away")
    func signals() {
        let world = World()
        world.signIn(1, "alice", network: "2001:db8::")
        world.signIn(2, "bob", network: "2001:db8::")
        for number in 0..<20 {
            world.signIn(100 + UInt64(number), UserID(stringLiteral: "away\(number)"), network: "192.0.2.1")
        }
        for number in 0..<75 {
            world.signIn(200 + UInt64(number), UserID(stringLiteral: "eve\(number)"), network: "192.0.2.1")
        }
        world.wait(.milliseconds(100))
        for number in 0..<20 { world.leave(100 + UInt64(number)) }
        world.wait(.milliseconds(100))
        #expect(world.replica.statistics.sessionsAway == 20)

        let text = String(repeating: "A", count: 30_000)
        var sent = [UInt64](repeating: 0, count: 75)
        var (asked, saidAt, waits): (UInt64, Duration?, [Duration]) = (0, nil, [])
        var most = 0
        world.wait(.milliseconds(2_500)) {
            // As much as the server reads: every socket has said all that its burst allows.
            for number in 0..<75 where sent[number] < 13 && world.replica.pause(ofNetwork: "192.0.2.1") == .zero {
                sent[number] += 1
                world.say(
                    200 + UInt64(number), text, to: UserID(stringLiteral: "away\(number % 20)"), seq: sent[number])
            }
            most = max(most, world.replica.waitingBytes)
            if let at = saidAt, let heard = world.heard[2], heard >= at {
                waits.append(heard - at)
                saidAt = nil
            }
            if saidAt == nil {
                asked += 1
                saidAt = world.now
                world.say(1, "hi", to: "bob", seq: asked)
            }
        }
        let longest = waits.max() ?? .seconds(9)
        #expect(waits.count > 100)
        #expect(longest <= .milliseconds(20))
        // The flood goes on all the while, and is neither refused nor kept.
        #expect(sent.reduce(0, +) > 300)
        #expect(world.closed == 0)
        #expect(most < 256 * 1024)
        #expect(world.longestEntry < 128 * 1024)
    }

    @Test("Lines take turns, each in its order, until an entry is full")
    func turns() {
        var waiting = WaitingInputs()
        for number in 0..<4 {
            waiting.append(WaitingInputs.Input(bytes: [UInt8](repeating: UInt8(number), count: 40)), of: "a")
        }
        waiting.append(WaitingInputs.Input(bytes: [9]), of: "b")
        waiting.append(WaitingInputs.Input(bytes: [8]), of: "b")
        #expect(waiting.bytes == 162 && waiting.bytes(of: "a") == 160)
        func take(_ most: Int, _ bytes: Int) -> [UInt8] {
            waiting.take(atMost: most, bytes: bytes, ofEach: 50).map { $0.bytes[0] }
        }
        let (first, second) = (take(10, 1_000), take(1, 1_000))
        #expect(first == [0, 1, 9, 8])
        #expect(second == [2])
        waiting.append(WaitingInputs.Input(bytes: [7]), of: "c")
        let (third, fourth) = (take(10, 40), take(10, 40))
        #expect(third == [3])
        #expect(fourth == [7])
        #expect(waiting.isEmpty && waiting.bytes == 0 && waiting.bytes(of: "a") == 0)
    }
}
