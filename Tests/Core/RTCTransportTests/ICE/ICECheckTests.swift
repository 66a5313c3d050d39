import RTCTransport
import RTCWire
import Testing

@Suite("ICE: checks on the wire")
struct ICECheckTests {
    @Test("A check carries what RFC 8445, section 7.2.2 demands, under the peer's password")
    func request() throws {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000"), at: solo.now)
        let sent = solo.sent()
        try #require(sent.count == 1)
        #expect(sent[0].to == solo.other)
        try sent[0].bytes.withUnsafeBytes { bytes in
            let message = try requireMessage(bytes.bytes)
            expectHolds(message.text(.username) == "peerFRAG:\(solo.agent.localCredentials.usernameFragment)")
            expectHolds(message.priority == 110 << 24 | 65_534 << 8 | 255)
            expectHolds(message.iceControlling != nil)
            expectHolds(message.iceControlled == nil)
            expectHolds(!message.useCandidate)
            expectHolds(message.fingerprint == .correct)
            expectHolds(
                message.verifyMessageIntegrity(
                    key: STUNCredentials.shortTermKey(password: solo.peer.credentials.password),
                    crypto: solo.peer.crypto))
        }
    }

    @Test("A good check is answered with its source, under our password, and checked in turn")
    func answer() throws {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.receive(solo.peer.check(to: solo.agent))
        let sent = solo.sent()
        #expect(ICESoloAgent.classes(sent) == [.successResponse, .request])
        try sent[0].bytes.withUnsafeBytes { bytes in
            let message = try requireMessage(bytes.bytes)
            expectHolds(message.mappedAddress == solo.other)
            expectHolds(message.fingerprint == .correct)
            expectHolds(
                message.verifyMessageIntegrity(
                    key: STUNCredentials.shortTermKey(password: solo.agent.localCredentials.password),
                    crypto: solo.peer.crypto))
        }
        #expect(solo.agent.isValid(TransportPath(socket: SocketID(1), remote: solo.other)))
        #expect(solo.agent.selectedPath == nil)
    }

    @Test("Bad requests are refused as RFC 8489 says, and change nothing")
    func refusals() throws {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        let id = STUNTransactionID(high: 1, low: 2)

        let bare = try #require(stunMessage(.request, .binding, id) { $0.writeFingerprint() })
        solo.receive(bare)
        #expect(ICESoloAgent.errorCodes(solo.sent()) == [400])

        solo.receive(solo.peer.check(to: solo.agent, username: "nobody:peerFRAG"))
        solo.receive(solo.peer.check(to: solo.agent, username: "no colon"))
        solo.receive(solo.peer.check(to: solo.agent, password: "wrong"))
        #expect(ICESoloAgent.errorCodes(solo.sent()) == [401, 400, 401])

        solo.receive(solo.peer.check(to: solo.agent, priority: nil))
        #expect(ICESoloAgent.errorCodes(solo.sent()) == [400])

        solo.receive(solo.peer.check(to: solo.agent) { $0.write(STUNAttributeType(rawValue: 0x7ABC), UInt32(1)) })
        let refusal = solo.sent()
        #expect(ICESoloAgent.errorCodes(refusal) == [420])
        try refusal[0].bytes.withUnsafeBytes { bytes in
            let message = try requireMessage(bytes.bytes)
            expectHolds(message.value(of: .unknownAttributes)?.array == [0x7A, 0xBC])
            expectHolds(message.hasIntegrity)
        }
        // An unknown optional attribute is none of our business.
        solo.receive(solo.peer.check(to: solo.agent) { $0.write(STUNAttributeType(rawValue: 0xC057), UInt32(1)) })
        #expect(ICESoloAgent.classes(solo.sent()) == [.successResponse, .request])

        let counters = solo.agent.statistics().counters
        #expect(counters.unauthenticatedRequests == 4)
        #expect(counters.unknownAttributes == 1)
        #expect(solo.agent.statistics().candidatePairs.count == 1)
    }

    @Test("A wrong fingerprint, an indication, another method and an unknown socket are dropped without a word")
    func dropped() throws {
        var solo = ICESoloAgent()
        var wrong = solo.peer.check(to: solo.agent)
        wrong[wrong.count - 1] ^= 1
        solo.receive(wrong)
        let id = STUNTransactionID(high: 1, low: 2)
        solo.receive(try #require(stunMessage(.indication, .binding, id) { $0.writeFingerprint() }))
        solo.receive(try #require(stunMessage(.request, .allocate, id) { $0.writeFingerprint() }))
        solo.receive(try #require(stunMessage(.successResponse, .binding, id) { $0.writeFingerprint() }))
        let check = solo.peer.check(to: solo.agent)
        check.withUnsafeBytes { solo.agent.receive($0.bytes, from: solo.other, on: SocketID(5), at: .zero) }
        solo.receive([0, 1, 2])
        #expect(solo.sent().isEmpty)
        let counters = solo.agent.statistics().counters
        #expect(counters.badFingerprint == 1)
        #expect(counters.ignored == 2)
        #expect(counters.unexpectedResponses == 1)
        #expect(counters.unknownSocket == 1)
        #expect(counters.malformed == 1)
    }

    @Test("Only an authentic answer from the address that was asked makes a pair valid")
    func answers() throws {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000"), at: solo.now)
        let check = try #require(solo.sent().first).bytes
        solo.receive(solo.peer.answer(check, mapped: solo.own, password: "not the right one"))
        solo.receive(solo.peer.refuse(check, .unauthenticated, password: "not the right one"))
        #expect(solo.agent.statistics().counters.unauthenticatedResponses == 2)
        #expect(solo.agent.statistics().candidatePairs[0].state == .inProgress)
        solo.receive(solo.peer.answer(check, mapped: solo.own))
        #expect(solo.agent.statistics().candidatePairs[0].state == .succeeded)
        #expect(solo.agent.selectedPath == TransportPath(socket: SocketID(1), remote: solo.other))
        // Said twice is said once.
        solo.receive(solo.peer.answer(check, mapped: solo.own))
        #expect(solo.agent.statistics().counters.unexpectedResponses == 1)
    }

    @Test("An answer with a comprehension-required attribute that we do not know is none (RFC 8489, section 6.3.3)")
    func unknownAttribute() throws {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000"), at: solo.now)
        let check = try #require(solo.sent().first).bytes
        solo.receive(
            solo.peer.answer(check, mapped: solo.own) { $0.write(STUNAttributeType(rawValue: 0x7ABC), UInt32(1)) })
        #expect(solo.agent.selectedPath == nil)
        #expect(solo.agent.statistics().candidatePairs.map(\.state) == [.failed])
        #expect(solo.agent.statistics().counters.unknownAttributes == 1)
    }

    @Test("An answer by another way fails the pair (section 7.2.5.2.1)")
    func asymmetric() throws {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000"), at: solo.now)
        let check = try #require(solo.sent().first).bytes
        solo.receive(solo.peer.answer(check, mapped: solo.own), from: iceAddress("192.0.2.3:2000"))
        #expect(solo.agent.statistics().candidatePairs.map(\.state) == [.failed])
        // A check of the peer's gives the pair another chance (section 7.3.1.4).
        solo.receive(solo.peer.check(to: solo.agent))
        #expect(solo.agent.statistics().candidatePairs.map(\.state) == [.inProgress])
    }

    @Test("487 changes the role, and the check is made again at once (section 7.2.5.1)")
    func roleConflict() throws {
        var solo = ICESoloAgent(controlling: true)
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000"), at: solo.now)
        let check = try #require(solo.sent().first).bytes
        solo.receive(solo.peer.refuse(check, .roleConflict))
        #expect(!solo.agent.isControlling)
        let again = try #require(solo.sent().first).bytes
        again.withUnsafeBytes { bytes in
            let message = STUNMessage(bytes.bytes)
            expectHolds(message?.iceControlled != nil)
        }
        #expect(solo.events().contains(.roleChanged(isControlling: false)))
    }

    @Test("A peer with the greater tie-breaker wins, one with the lesser gets 487")
    func tieBreakers() {
        var solo = ICESoloAgent(controlling: true)
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.receive(solo.peer.check(to: solo.agent, controlling: true, tieBreaker: 0))
        #expect(solo.agent.isControlling)
        #expect(ICESoloAgent.errorCodes(solo.sent()) == [487])
        solo.receive(solo.peer.check(to: solo.agent, controlling: true, tieBreaker: .max))
        #expect(!solo.agent.isControlling)
        #expect(ICESoloAgent.classes(solo.sent()) == [.successResponse, .request])
        solo.receive(solo.peer.check(to: solo.agent, controlling: false, tieBreaker: .max))
        #expect(!solo.agent.isControlling)
        #expect(ICESoloAgent.errorCodes(solo.sent()) == [487])
        solo.receive(solo.peer.check(to: solo.agent, controlling: false, tieBreaker: 0))
        #expect(solo.agent.isControlling)
    }

    @Test("Ordinary checks leave 50 ms apart, the first at once, the best first")
    func pacing() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        for index in 1...5 {
            let candidate = ICECandidate(
                foundation: "\(index)", priority: UInt32(index), address: .ip(IPAddress(192, 0, 2, UInt8(index + 10))),
                port: 9, type: .host)
            solo.agent.addRemoteCandidate(candidate, at: solo.now)
        }
        var order: [String] = []
        for _ in 0..<6 {
            order += solo.sent().map { $0.to.description }
            solo.wait(.milliseconds(50))
        }
        // The first was sent before the better ones were known.
        #expect(order == [11, 15, 14, 13, 12].map { "192.0.2.\($0):9" })
    }

    @Test("Pairs of the same foundation wait behind its first (RFC 8445, section 6.1.2.6), without being held up")
    func foundations() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        for (index, foundation) in ["1", "1", "1", "2"].enumerated() {
            let candidate = ICECandidate(
                foundation: foundation, priority: UInt32(100 - index),
                address: .ip(IPAddress(192, 0, 2, UInt8(index + 10))), port: 9, type: .host)
            solo.agent.addRemoteCandidate(candidate, at: solo.now)
        }
        #expect(solo.agent.statistics().candidatePairs.map(\.state) == [.inProgress, .frozen, .frozen, .waiting])
        var order: [String] = []
        for _ in 0..<5 {
            order += solo.sent().map { $0.to.description }
            solo.wait(.milliseconds(50))
        }
        #expect(order == [10, 13, 11, 12].map { "192.0.2.\($0):9" })
    }

    @Test("A check in progress is repeated when the peer's arrives, once per Ta")
    func triggered() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000"), at: solo.now)
        _ = solo.sent()
        solo.wait(.milliseconds(100))
        for _ in 0..<5 { solo.receive(solo.peer.check(to: solo.agent)) }
        #expect(ICESoloAgent.classes(solo.sent()).count { $0 == .request } == 1)
        #expect(solo.agent.statistics().candidatePairs.map(\.requestsSent) == [2])
    }
    @Test("A check that the way did not let through goes out again 50 ms after it, once the peer's has come through")
    func opened() {
        var solo = ICESoloAgent()
        solo.agent.setRemote(solo.peer.credentials, isLite: false, at: solo.now)
        solo.agent.addRemoteCandidate(solo.hostCandidate("192.0.2.2:2000"), at: solo.now)
        #expect(ICESoloAgent.classes(solo.sent()) == [.request])
        solo.wait(.milliseconds(1))
        for _ in 0..<3 { solo.receive(solo.peer.check(to: solo.agent)) }
        #expect(ICESoloAgent.classes(solo.sent()) == [.successResponse, .successResponse, .successResponse])
        solo.wait(.milliseconds(40))
        #expect(ICESoloAgent.classes(solo.sent()).isEmpty)
        solo.wait(.milliseconds(10))
        #expect(ICESoloAgent.classes(solo.sent()) == [.request])
    }
}
