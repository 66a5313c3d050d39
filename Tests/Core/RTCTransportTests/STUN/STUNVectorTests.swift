import RTCTransport
import RTCWire
import Testing

@Suite("STUN: published vectors")
struct STUNVectorTests {
    let crypto = STUNTestCrypto()
    let id = STUNTransactionID(high: 0xb7e7_a701, low: 0xbc34_d686_fa87_dfae)
    let longTermID = STUNTransactionID(high: 0x78ad_3433, low: 0xc6ad_72c0_29da_412e)

    @Test("RFC 5769, section 2.1: a request with short-term credentials")
    func request() throws {
        try STUNVectors.request.withUnsafeBytes { bytes in
            let message = try requireMessage(bytes.bytes)
            expectHolds(message.messageClass == .request)
            expectHolds(message.method == .binding)
            expectHolds(message.transactionID == id)
            expectHolds(message.text(.software) == "STUN test client")
            expectHolds(message.text(.username) == "evtj:h6vY")
            expectHolds(message.priority == 0x6e00_01ff)
            expectHolds(message.iceControlled == 0x932f_f9b1_5126_3b36)
            expectHolds(message.iceControlling == nil)
            expectHolds(message.fingerprint == .correct)
            let key = STUNCredentials.shortTermKey(password: STUNVectors.password)
            expectHolds(message.verifyMessageIntegrity(key: key, crypto: crypto))
            expectHolds(!message.verifyMessageIntegrity(key: key + [0x20], crypto: crypto))
            expectHolds(message.unknownAttributes == [])
        }
    }

    @Test("RFC 5769, sections 2.2 and 2.3: responses with an IPv4 and an IPv6 address")
    func responses() throws {
        for (vector, address) in [
            (STUNVectors.responseIPv4, "192.0.2.1:32853"),
            (STUNVectors.responseIPv6, "[2001:db8:1234:5678:11:2233:4455:6677]:32853"),
        ] {
            try vector.withUnsafeBytes { bytes in
                let message = try requireMessage(bytes.bytes)
                expectHolds(message.messageClass == .successResponse)
                expectHolds(message.mappedAddress == TransportAddress(address))
                expectHolds(message.text(.software) == "test vector")
                expectHolds(message.fingerprint == .correct)
                let key = STUNCredentials.shortTermKey(password: STUNVectors.password)
                expectHolds(message.verifyMessageIntegrity(key: key, crypto: crypto))
            }
        }
    }

    @Test("RFC 5769, section 2.4: a request with long-term credentials, read and written")
    func longTerm() throws {
        let key = try #require(
            STUNCredentials.longTermKey(
                username: STUNVectors.longTermUsername, realm: "example.org", password: STUNVectors.longTermPassword,
                crypto: crypto))
        try STUNVectors.longTermRequest.withUnsafeBytes { bytes in
            let message = try requireMessage(bytes.bytes)
            expectHolds(message.text(.username) == STUNVectors.longTermUsername)
            expectHolds(message.text(.nonce) == "f//499k954d6OL34oL9FSTvy64sA")
            expectHolds(message.text(.realm) == "example.org")
            expectHolds(message.fingerprint == .absent)
            expectHolds(message.verifyMessageIntegrity(key: key, crypto: crypto))
        }
        let written = stunMessage(.request, .binding, longTermID) { writer in
            writer.write(.username, STUNVectors.longTermUsername)
            writer.write(.nonce, "f//499k954d6OL34oL9FSTvy64sA")
            writer.write(.realm, "example.org")
            writer.writeMessageIntegrity(key: key, crypto: crypto)
        }
        #expect(written == STUNVectors.longTermRequest)
    }

    @Test("RFC 8489, appendix B.1: MESSAGE-INTEGRITY-SHA256 and USERHASH, read and written")
    func sha256() throws {
        let key = try #require(
            STUNCredentials.longTermKey(
                username: STUNVectors.longTermUsername, realm: "example.org", password: STUNVectors.longTermPassword,
                crypto: crypto))
        let userhash = try #require(
            STUNCredentials.userhash(
                username: STUNVectors.longTermUsername, realm: "example.org", crypto: crypto))
        try STUNVectors.sha256Request.withUnsafeBytes { bytes in
            let message = try requireMessage(bytes.bytes)
            expectHolds(message.hasIntegrity)
            expectHolds(message.verifyMessageIntegritySHA256(key: key, crypto: crypto))
            expectHolds(!message.verifyMessageIntegrity(key: key, crypto: crypto))
        }
        let written = stunMessage(.request, .binding, longTermID) { writer in
            writer.write(.userhash, userhash)
            writer.write(.nonce, "obMatJos2AAACf//499k954d6OL34oL9FSTvy64sA")
            writer.write(.realm, "example.org")
            writer.writeMessageIntegritySHA256(key: key, crypto: crypto)
        }
        #expect(written == STUNVectors.sha256Request)
    }

    @Test("The digests that these tests rest on have their published values")
    func digests() {
        func hex(_ bytes: [UInt8]?) -> String {
            (bytes ?? []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        let abc = Array("abc".utf8)
        abc.withUnsafeBytes { abc in
            #expect(hex(crypto.digest(.md5, of: abc.bytes)) == "900150983cd24fb0d6963f7d28e17f72")
            #expect(hex(crypto.digest(.sha1, of: abc.bytes)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
            #expect(
                hex(crypto.digest(.sha256, of: abc.bytes))
                    == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        }
    }
}
