import RTCCrypto
import RTCTransport
import Testing

@Suite("Public keys in PEM")
struct SignatureKeyPEMTests {
    @Test("A key verifies as its numbers do, and is of the same kind", arguments: PEMVectors.keys.indices)
    func vectors(_ index: Int) throws {
        let (vector, pem) = PEMVectors.keys[index]
        for text in [pem, "# a comment\n\n" + pem + "\n", pem.replacing("\n", with: "\r\n")] {
            let key = try SignatureKey.pem(text)
            #expect(key.kind == (try vector.makeKey().kind))
            let signature = bytes(base64URL: vector.signature)
            #expect(key.verifies(signature, of: Array(vector.message.utf8), by: vector.algorithm))
            #expect(!key.verifies(signature, of: Array(vector.message.utf8) + [0], by: vector.algorithm))
        }
    }

    @Test("What is no public key, or one of another kind or size, is refused", arguments: PEMVectors.refused.indices)
    func refused(_ index: Int) {
        let (why, pem) = PEMVectors.refused[index]
        #expect(throws: CryptoError.self, "\(why)") { try SignatureKey.pem(pem) }
    }

    @Test("A key that was cut is refused, wherever", arguments: PEMVectors.keys.indices)
    func cut(_ index: Int) {
        let pem = PEMVectors.keys[index].pem
        for count in stride(from: 0, to: pem.utf8.count - 2, by: 11) {
            #expect(throws: CryptoError.self) { try SignatureKey.pem(String(pem.prefix(count))) }
        }
        #expect(throws: CryptoError.self) {
            try SignatureKey.pem(String(repeating: "-----BEGIN PUBLIC KEY-----\n", count: 1_000))
        }
    }
}
