import RTCTransport
import RTCWire
import Testing

@Suite("STUN: messages")
struct STUNMessageTests {
    let crypto = STUNTestCrypto()
    let id = STUNTransactionID(high: 1, low: 2)

    @Test(
        "Every class and method survives a round trip",
        arguments: [STUNClass.request, .indication, .successResponse, .errorResponse])
    func types(messageClass: STUNClass) throws {
        for raw in [0, 1, 3, 9, 0x00F, 0x010, 0x070, 0x080, 0xF80, 0xFFF] as [UInt16] {
            let bytes = try #require(stunMessage(messageClass, STUNMethod(rawValue: raw), id) { _ in })
            try bytes.withUnsafeBytes {
                let message = try requireMessage($0.bytes)
                expectHolds(message.messageClass == messageClass)
                expectHolds(message.method.rawValue == raw)
                expectHolds(message.transactionID == id)
            }
        }
    }

    @Test("Attributes of every kind survive a round trip, and so do integrity and fingerprint")
    func attributes() throws {
        let key = Array("a password of some length".utf8)
        let v4 = TransportAddress(ip: IPAddress(203, 0, 113, 9), port: 443)
        let v6 = TransportAddress(ip: IPAddress(v6High: 0x2001_0db8_0000_0000, low: 7), port: 65_535)
        let bytes = try #require(
            stunMessage(.request, .allocate, id) { writer in
                writer.write(.username, "u:ü")
                writer.write(.lifetime, UInt32(600))
                writer.write(.iceControlling, UInt64.max)
                writer.writeFlag(.useCandidate)
                writer.write(.xorRelayedAddress, xor: v4)
                writer.write(.xorPeerAddress, xor: v6)
                writer.write(STUNError(487, "Role Conflict"))
                writer.write(.data, [1, 2, 3, 4, 5])
                writer.writeMessageIntegrity(key: key, crypto: crypto)
                writer.writeMessageIntegritySHA256(key: key, crypto: crypto)
                writer.writeFingerprint()
            })
        try bytes.withUnsafeBytes {
            let message = try requireMessage($0.bytes)
            expectHolds(message.text(.username) == "u:ü")
            expectHolds(message.uint32(.lifetime) == 600)
            expectHolds(message.iceControlling == .max)
            expectHolds(message.useCandidate)
            expectHolds(message.xorAddress(.xorRelayedAddress) == v4)
            expectHolds(message.xorAddress(.xorPeerAddress) == v6)
            expectHolds(message.error == STUNError(487, "Role Conflict"))
            expectHolds(message.value(of: .data)?.array == [1, 2, 3, 4, 5])
            expectHolds(message.verifyMessageIntegrity(key: key, crypto: crypto))
            expectHolds(message.verifyMessageIntegritySHA256(key: key, crypto: crypto))
            expectHolds(message.fingerprint == .correct)
            expectHolds(message.value(of: .nonce) == nil)
        }
    }

    @Test("Only what stands before MESSAGE-INTEGRITY is read (RFC 8489, section 14.5)")
    func behindIntegrity() throws {
        let key: [UInt8] = [1, 2, 3]
        let bytes = try #require(
            stunMessage(.request, .binding, id) { writer in
                writer.write(.priority, UInt32(5))
                writer.writeMessageIntegrity(key: key, crypto: crypto)
                writer.writeFlag(.useCandidate)
                writer.write(STUNAttributeType(rawValue: 0x7777), UInt32(1))
                writer.writeFingerprint()
            })
        try bytes.withUnsafeBytes {
            let message = try requireMessage($0.bytes)
            expectHolds(message.priority == 5)
            expectHolds(!message.useCandidate)
            expectHolds(message.unknownAttributes == [])
            expectHolds(message.verifyMessageIntegrity(key: key, crypto: crypto))
        }
    }

    @Test("Unknown comprehension-required attributes are listed once each, at most 16; optional ones are not")
    func unknownAttributes() throws {
        let bytes = try #require(
            stunMessage(.request, .binding, id) { writer in
                writer.write(STUNAttributeType(rawValue: 0x7001), [1])
                writer.write(STUNAttributeType(rawValue: 0x7001), [2])
                writer.write(STUNAttributeType(rawValue: 0xC057), UInt32(1))
                for raw in 0..<40 { writer.writeFlag(STUNAttributeType(rawValue: 0x6000 + UInt16(raw))) }
            })
        try bytes.withUnsafeBytes {
            let unknown = try requireMessage($0.bytes).unknownAttributes
            #expect(unknown.count == 16)
            #expect(unknown.first?.rawValue == 0x7001)
            #expect(unknown.dropFirst().first?.rawValue == 0x6000)
        }
        let reply = try #require(
            stunMessage(.errorResponse, .binding, id) { writer in
                writer.write(STUNError.unknownAttribute)
                writer.write(unknown: [.username, .nonce, .priority])
            })
        try reply.withUnsafeBytes {
            let message = try requireMessage($0.bytes)
            expectHolds(message.value(of: .unknownAttributes)?.array == [0, 6, 0, 0x15, 0, 0x24])
        }
    }

    @Test("MAPPED-ADDRESS is used when XOR-MAPPED-ADDRESS is missing")
    func plainAddress() throws {
        let bytes = try #require(
            stunMessage(.successResponse, .binding, id) { $0.write(.mappedAddress, [0, 1, 0, 80, 192, 0, 2, 1]) })
        try bytes.withUnsafeBytes {
            let message = try requireMessage($0.bytes)
            expectHolds(message.mappedAddress == TransportAddress("192.0.2.1:80"))
        }
    }

    @Test("A message that does not fit is not half written")
    func overflow() {
        for room in 0..<60 {
            let bytes = stunMessage(.request, .binding, id, room: room) { writer in
                writer.write(.username, "someone:else")
                writer.writeMessageIntegrity(key: [1], crypto: crypto)
                writer.writeFingerprint()
            }
            #expect(bytes == nil)
        }
    }

    @Test("Retransmissions follow RFC 8489, section 6.2.1")
    func retransmission() {
        let schedule = STUNRetransmission()
        var time = TimeDelta.zero
        var times: [Int64] = []
        for count in 1...7 {
            times.append(time.milliseconds)
            time = time + schedule.wait(afterTransmissions: count)
        }
        #expect(times == [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500])
        #expect(time == .milliseconds(39_500))
    }
}
