import RTCTransport
import RTCWire
import Testing

@Suite("TURN: a hostile server")
struct TURNHostileServerTests {
    private let random = SeededRandom(seed: 8_656)

    @Test(
        "Garbage, truncations and mutations of true answers, at every stage: nothing happens, and the true one counts")
    func garbage() {
        let bench = TURNTestBench()
        var copies: [[UInt8]] = []
        bench.server.forge = { answer in
            copies.append(answer)
            return answer
        }
        #expect(bench.allocate())
        bench.send([[1, 2, 3]], to: turnAddress("192.0.2.99:9"))
        bench.run(for: .seconds(1))
        bench.sendFromPeer([4, 5, 6], from: turnAddress("192.0.2.99:9"), to: bench.relayed ?? turnAddress("0.0.0.0:0"))
        bench.run(for: .seconds(1))
        let events = bench.events
        let received = bench.received.count
        for answer in copies {
            for length in 0..<answer.count { bench.inject(Array(answer.prefix(length))) }
            for _ in 0..<500 {
                var bytes = answer
                for _ in 0...random.next(below: 3) {
                    bytes[Int(random.next(below: UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
                }
                bench.inject(bytes)
            }
        }
        for _ in 0..<5_000 { bench.inject(random.bytes(Int(random.next(below: 100)))) }
        #expect(bench.events == events)
        #expect(bench.client.isAllocated)
        // Channel data of the right number cannot be told from true ones; there is no other way in.
        #expect(bench.received.count - received < 2_000)
    }

    @Test("Wrong transaction IDs, another method, requests and indications in the place of an answer")
    func wrongAnswers() {
        for change in 0..<4 {
            let bench = TURNTestBench()
            bench.server.forge = { answer in
                var answer = answer
                switch change {
                case 0: answer[19] ^= 1
                case 1: answer[1] = answer[1] & 0xF0 | 0x04
                case 2: (answer[0], answer[1]) = (0, 0x03)
                default: (answer[0], answer[1]) = (0, 0x17)
                }
                return answer
            }
            #expect(!bench.allocate())
            #expect(bench.failures.allSatisfy { $0 == .noAnswer } && !bench.failures.isEmpty)
        }
    }

    @Test("Challenges without end: another nonce each time, another realm each time, stale each time")
    func endlessChallenges() {
        for change in 0..<3 {
            for transport in ICERelayProperties.Transport.everyCase {
                let bench = TURNTestBench(transport: transport)
                bench.server.forge = { answer in
                    bench.server.staleNonce()
                    if change == 1 { bench.server.settings.realm += "x" }
                    return answer
                }
                bench.start()
                bench.run(for: .seconds(600))
                #expect(!bench.client.isAllocated)
                // Some tries at once, then a few each minute.
                #expect(bench.count(.allocate) < 120)
                #expect(!bench.failures.isEmpty)
            }
        }
    }

    @Test("Four challenges in a row are answered, a fifth is not")
    func fiveChallenges() {
        // Besides the first, with which every allocation begins.
        for (stale, failures) in [(3, []), (4, [TURNFailure.Reason.challenge])] {
            let bench = TURNTestBench()
            var left = stale
            bench.server.forge = { answer in
                if left > 0 { bench.server.staleNonce() }
                left -= 1
                return answer
            }
            bench.start()
            bench.run(for: .seconds(60)) { bench.client.isAllocated || !bench.failures.isEmpty }
            #expect(bench.failures == failures && bench.client.isAllocated == failures.isEmpty, "\(stale)")
        }
    }

    @Test("A success without integrity, or with that of another key, is none", arguments: [false, true])
    func unproved(isStream: Bool) {
        for withIntegrity in [false, true] {
            let bench = TURNTestBench(transport: isStream ? .tcp : .udp)
            bench.server.forge = { answer in
                answer.withUnsafeBytes { memory -> [UInt8]? in
                    guard let message = STUNMessage(memory.bytes), message.messageClass == .successResponse else {
                        return answer
                    }
                    return stunMessage(.successResponse, .allocate, message.transactionID) { writer in
                        writer.write(.xorRelayedAddress, xor: turnAddress("198.51.100.66:6666"))
                        writer.write(.xorMappedAddress, xor: turnAddress("198.51.100.66:6666"))
                        writer.write(.lifetime, UInt32(600))
                        if withIntegrity {
                            writer.writeMessageIntegrity(key: [1, 2, 3], crypto: STUNTestCrypto())
                        }
                    }
                }
            }
            #expect(!bench.allocate())
            #expect(bench.client.relayed.isEmpty)
            #expect(bench.client.counters.unauthenticatedResponses > 0)
            #expect(
                bench.failures.first == (isStream ? .integrity : .noAnswer)
                    || bench.failures.first == .allocationMismatch)
        }
    }

    @Test("An allocation for somebody else: authentic, but for another request, is none")
    func somebodyElses() {
        let bench = TURNTestBench()
        let other = TURNTestBench(seed: 9)
        var stolen: [UInt8] = []
        other.server.forge = { answer in
            stolen = answer
            return answer
        }
        #expect(other.allocate())
        bench.server.forge = { _ in stolen }
        #expect(!bench.allocate())
        #expect(bench.client.relayed.isEmpty)
        #expect(bench.client.counters.unexpectedResponses > 0)
    }

    @Test("Addresses that cannot be relayed from, no lifetime, no mapped address: an answer that is none")
    func malformed() {
        let good = (turnAddress("203.0.113.1:50000"), turnAddress("10.0.0.2:40000"), UInt32(600))
        let answers: [(TransportAddress?, TransportAddress?, UInt32?)] = [
            (turnAddress("0.0.0.0:50000"), good.1, good.2), (turnAddress("203.0.113.1:0"), good.1, good.2),
            (turnAddress("224.0.0.1:50000"), good.1, good.2), (turnAddress("[::ffff:203.0.113.1]:9"), good.1, good.2),
            (nil, good.1, good.2), (good.0, nil, good.2), (good.0, good.1, nil), (good.0, good.1, 0),
            (turnAddress("[2001:db8::7]:50000"), good.1, good.2),
        ]
        for (relayed, mapped, lifetime) in answers {
            let bench = TURNTestBench(credentials: nil) { $0.families = .ipv4 }
            bench.server.settings.isOpen = true
            bench.server.forge = { answer in
                answer.withUnsafeBytes { memory -> [UInt8]? in
                    guard let message = STUNMessage(memory.bytes) else { return nil }
                    return stunMessage(.successResponse, .allocate, message.transactionID) { writer in
                        if let relayed { writer.write(.xorRelayedAddress, xor: relayed) }
                        if let mapped { writer.write(.xorMappedAddress, xor: mapped) }
                        if let lifetime { writer.write(.lifetime, lifetime) }
                    }
                }
            }
            #expect(!bench.allocate())
            #expect(bench.failures.first == .malformed)
        }
    }

    @Test("Password algorithms are taken out of the challenge: nothing is said that could be attacked")
    func bidDown() {
        for fromTheRight in [false, true] {
            let bench = TURNTestBench()
            bench.server.settings.algorithms = [2, 1]
            bench.server.settings.countsFromTheRight = fromTheRight
            bench.server.forge = { answer in
                answer.withUnsafeBytes { memory -> [UInt8]? in
                    guard let message = STUNMessage(memory.bytes), message.messageClass == .errorResponse,
                        let error = message.error
                    else { return answer }
                    return stunMessage(.errorResponse, .allocate, message.transactionID) { writer in
                        writer.write(error)
                        writer.write(.realm, message.text(.realm) ?? "")
                        writer.write(.nonce, message.text(.nonce) ?? "")
                    }
                }
            }
            #expect(!bench.allocate())
            #expect(bench.failures.first == .bidDown)
            #expect(bench.count(.allocate) == 1)
        }
    }

    @Test("Once SHA-256 was proved, a challenge for MD5 is a forgery, and the allocation survives it")
    func laterBidDown() {
        let bench = TURNTestBench()
        bench.server.settings.algorithms = [2]
        #expect(bench.allocate())
        var forged = false
        bench.server.forge = { answer in
            answer.withUnsafeBytes { memory -> [UInt8]? in
                guard !forged, let message = STUNMessage(memory.bytes) else { return answer }
                forged = true
                return stunMessage(.errorResponse, message.method, message.transactionID) { writer in
                    writer.write(.staleNonce)
                    writer.write(.realm, "test.local")
                    writer.write(.nonce, "plain")
                }
            }
        }
        bench.client.permit(IPAddress(192, 0, 2, 99), at: bench.now)
        bench.send([[1]], to: turnAddress("192.0.2.99:9"))
        bench.run(for: .seconds(5))
        #expect(forged && bench.losses.isEmpty && bench.atPeer.count == 1)
    }

    @Test("Algorithms that nobody knows; a list that is cut off; a challenge without realm or nonce")
    func badChallenges() {
        let cases: [((inout STUNMessageWriter) -> Void, TURNFailure.Reason)] = [
            (
                {
                    $0.write(.realm, "r"); $0.write(.nonce, "n"); $0.write(.passwordAlgorithms, [0, 9, 0, 0])
                }, .passwordAlgorithm
            ),
            (
                {
                    $0.write(.realm, "r"); $0.write(.nonce, "n"); $0.write(.passwordAlgorithms, [0, 9, 0, 8, 1])
                }, .passwordAlgorithm
            ),
            (
                {
                    $0.write(.realm, "r"); $0.write(.nonce, "n");
                    $0.write(.passwordAlgorithms, [UInt8](repeating: 0, count: 999))
                }, .challenge
            ),
            ({ $0.write(.nonce, "n") }, .challenge),
            ({ $0.write(.realm, "r") }, .challenge),
            (
                {
                    $0.write(.realm, ""); $0.write(.nonce, "")
                }, .challenge
            ),
            (
                {
                    $0.write(.realm, [UInt8](repeating: 65, count: 764)); $0.write(.nonce, "n")
                }, .challenge
            ),
        ]
        for (write, reason) in cases {
            let bench = TURNTestBench()
            bench.server.forge = { answer in
                answer.withUnsafeBytes { memory -> [UInt8]? in
                    guard let message = STUNMessage(memory.bytes) else { return nil }
                    return stunMessage(.errorResponse, .allocate, message.transactionID) { writer in
                        writer.write(.unauthenticated)
                        write(&writer)
                    }
                }
            }
            bench.start()
            bench.run(for: .seconds(5))
            #expect(bench.failures == [reason])
        }
    }

    @Test("A flood of everything: memory stays what it was, and the client answers nothing")
    func flood() throws {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        let sent = bench.sent
        var messages: [[UInt8]] = []
        for method in [STUNMethod.allocate, .refresh, .createPermission, .channelBind, .send, .data] {
            for kind in [STUNClass.request, .indication, .successResponse, .errorResponse] {
                let id = STUNTransactionID.random(from: random)
                messages.append(
                    try #require(
                        stunMessage(kind, method, id) { writer in
                            writer.write(STUNError.staleNonce)
                            writer.write(.realm, "r")
                            writer.write(.nonce, "n")
                            writer.write(.xorPeerAddress, xor: turnAddress("192.0.2.77:7"))
                            writer.write(.data, [1, 2, 3])
                        }))
            }
        }
        for _ in 0..<2_000 { for message in messages { bench.inject(message) } }
        for number in 0..<10_000 {
            bench.inject([0x40 | UInt8(number & 15), UInt8(truncatingIfNeeded: number), 0, 1, 9])
        }
        #expect(bench.sent == sent)
        #expect(bench.received.isEmpty)
        #expect(bench.client.isAllocated && bench.losses.isEmpty)
    }

    @Test("Data in the name of a peer that we never sent to are dropped")
    func unasked() throws {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        let message = try #require(
            stunMessage(.indication, .data, STUNTransactionID(high: 1, low: 2)) { writer in
                writer.write(.xorPeerAddress, xor: turnAddress("192.0.2.77:7"))
                writer.write(.data, [1, 2, 3])
            })
        bench.inject(message)
        #expect(bench.received.isEmpty && bench.client.counters.unexpectedData == 1)
        bench.client.permit(IPAddress(192, 0, 2, 77), at: bench.now)
        bench.inject(message)
        #expect(bench.received.map(\.bytes) == [[1, 2, 3]])
    }

    @Test("A lifetime of a second or of 136 years is not believed")
    func lifetimes() {
        for lifetime in [UInt32(1), .max] {
            let bench = TURNTestBench()
            bench.server.settings.lifetime = lifetime
            bench.start()
            bench.run(for: .seconds(1_000))
            #expect(bench.sent < 800)
            #expect(bench.client.nextDeadline != nil)
        }
    }

    @Test("Neither name nor password nor key shows in any description")
    func descriptions() {
        let bench = TURNTestBench(credentials: TURNCredentials(username: "17:alice", password: "hunter2"))
        bench.start()
        bench.run(for: .seconds(1))
        var text = "\(bench.client) \(String(reflecting: bench.client)) \(bench.events)"
        dump(bench.client, to: &text)
        dump(TURNCredentials(username: "17:alice", password: "hunter2"), to: &text)
        text += "\(TURNCredentials(username: "17:alice", password: "hunter2"))"
        for failure in bench.events { text += "\(failure)" }
        #expect(!text.contains("alice") && !text.contains("hunter2"))
    }
}
