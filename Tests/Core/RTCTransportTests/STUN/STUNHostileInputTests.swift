import RTCTransport
import RTCWire
import Testing

@Suite("STUN: hostile input")
struct STUNHostileInputTests {
    let crypto = STUNTestCrypto()

    /// Reads everything that can be read of a message.
    private func readAll(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { memory in
            guard let message = STUNMessage(memory.bytes) else { return false }
            _ = message.username?.byteCount
            _ = message.mappedAddress
            _ = message.xorAddress(.xorPeerAddress)
            _ = message.error
            _ = message.text(.software)
            _ = message.text(.realm)
            _ = message.priority
            _ = message.iceControlled
            _ = message.iceControlling
            _ = message.unknownAttributes
            _ = message.fingerprint
            return true
        }
    }

    @Test("Every truncation and every extension of a real message is refused")
    func truncated() {
        for vector in STUNVectors.all {
            #expect(readAll(vector))
            for length in 0..<vector.count { #expect(!readAll(Array(vector[0..<length]))) }
            #expect(!readAll(vector + [0]))
            #expect(!readAll(vector + [0, 0, 0, 0]))
        }
    }

    @Test("A flipped bit is noticed by the fingerprint or by the parser, and by the integrity before it")
    func flipped() {
        let key = STUNCredentials.shortTermKey(password: STUNVectors.password)
        for bit in 0..<STUNVectors.request.count * 8 {
            var bytes = STUNVectors.request
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            bytes.withUnsafeBytes { memory in
                guard let message = STUNMessage(memory.bytes) else { return }
                expectHolds(message.fingerprint != .correct)
                if bit / 8 < bytes.count - 8 {
                    expectHolds(!message.verifyMessageIntegrity(key: key, crypto: crypto))
                }
            }
        }
    }

    @Test("Ten thousand mutated messages and ten thousand of noise are read without harm")
    func mutated() {
        let random = SeededRandom(seed: 5_769)
        var parsed = 0
        for _ in 0..<10_000 {
            var bytes = STUNVectors.all[Int(random.next(below: UInt64(STUNVectors.all.count)))]
            for _ in 0...random.next(below: 4) {
                bytes[Int(random.next(below: UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
            }
            if readAll(bytes) { parsed += 1 }
        }
        #expect(parsed > 1_000)
        for _ in 0..<10_000 {
            var bytes = random.bytes(Int(random.next(below: 200)))
            // Half of them get as far as the attributes.
            if bytes.count >= 20, random.next() & 1 == 0 {
                bytes.removeLast(bytes.count % 4)
                bytes.replaceSubrange(0..<8, with: [0, 1, 0, UInt8(bytes.count - 20), 0x21, 0x12, 0xA4, 0x42])
            }
            _ = readAll(bytes)
        }
    }

    @Test("Odd lengths: integrity of the wrong size, a fingerprint that is not last, an attribute past the end")
    func oddLengths() throws {
        let id = STUNTransactionID(high: 0, low: 0)
        let short = try #require(stunMessage(.request, .binding, id) { $0.write(.messageIntegrity, [1, 2, 3, 4]) })
        #expect(!readAll(short))
        let early = try #require(
            stunMessage(.request, .binding, id) { writer in
                writer.writeFingerprint()
                writer.writeFlag(.useCandidate)
            })
        #expect(!readAll(early))
        var past = try #require(stunMessage(.request, .binding, id) { $0.write(.software, "abcd") })
        past[23] = 0xFF
        #expect(!readAll(past))
    }
}
