import RTCCrypto
import RTCTransport
import Testing

@Suite("Signatures of JSON Web Signatures")
struct SignatureKeyTests {
    @Test("The RFCs' examples verify", arguments: SignatureVector.all)
    func vectors(_ vector: SignatureVector) throws {
        let key = try vector.makeKey()
        let signature = bytes(base64URL: vector.signature)
        #expect(key.verifies(signature, of: Array(vector.message.utf8), by: vector.algorithm))
    }

    @Test("Another message, another byte, another length: none verifies", arguments: SignatureVector.all)
    func tampered(_ vector: SignatureVector) throws {
        let key = try vector.makeKey()
        let (message, signature) = (Array(vector.message.utf8), bytes(base64URL: vector.signature))
        #expect(!key.verifies(signature, of: message + [0x20], by: vector.algorithm))
        #expect(!key.verifies(signature, of: [], by: vector.algorithm))
        for index in stride(from: 0, to: signature.count, by: 7) {
            var other = signature
            other[index] ^= 1
            #expect(!key.verifies(other, of: message, by: vector.algorithm))
        }
        #expect(!key.verifies([], of: message, by: vector.algorithm))
        #expect(!key.verifies(signature.dropLast(), of: message, by: vector.algorithm))
        #expect(!key.verifies(signature + [0], of: message, by: vector.algorithm))
        #expect(!key.verifies([UInt8](repeating: 0, count: signature.count), of: message, by: vector.algorithm))
        #expect(!key.verifies([UInt8](repeating: 255, count: signature.count), of: message, by: vector.algorithm))
    }

    @Test("A signature verifies by its own algorithm only", arguments: SignatureVector.all)
    func otherAlgorithms(_ vector: SignatureVector) throws {
        let key = try vector.makeKey()
        for algorithm in SignatureAlgorithm.allCases where algorithm != vector.algorithm {
            #expect(
                !key.verifies(bytes(base64URL: vector.signature), of: Array(vector.message.utf8), by: algorithm),
                "\(algorithm)")
        }
    }

    @Test("A key verifies no other key's signature")
    func otherKeys() throws {
        for vector in SignatureVector.all {
            for other in SignatureVector.all where other.name != vector.name {
                let key = try other.makeKey()
                guard vector.algorithm.takes(key.kind), "\(vector.key)" != "\(other.key)" else { continue }
                #expect(
                    !key.verifies(
                        bytes(base64URL: vector.signature), of: Array(vector.message.utf8), by: vector.algorithm),
                    "\(vector.name) by the key of \(other.name)")
            }
        }
    }

    @Test("Numbers that make no key are refused")
    func wrongKeys() {
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        #expect(throws: CryptoError.self, "short") {
            try SignatureKey.rsa(modulus: [0xFF, 0xFF], exponent: [1, 0, 1])
        }
        #expect(throws: CryptoError.self, "1,024 bits") {
            try SignatureKey.rsa(modulus: Array(modulus.prefix(128)), exponent: [1, 0, 1])
        }
        #expect(throws: CryptoError.self, "long") {
            try SignatureKey.rsa(modulus: [UInt8](repeating: 0xFF, count: 4_096), exponent: [1, 0, 1])
        }
        #expect(throws: CryptoError.self, "an even exponent") {
            try SignatureKey.rsa(modulus: modulus, exponent: [1, 0, 0])
        }
        #expect(throws: CryptoError.self, "the exponent 1") { try SignatureKey.rsa(modulus: modulus, exponent: [1]) }
        #expect(throws: CryptoError.self, "no exponent") { try SignatureKey.rsa(modulus: modulus, exponent: []) }
        #expect(throws: CryptoError.self, "no modulus") { try SignatureKey.rsa(modulus: [], exponent: [1, 0, 1]) }
        let coordinate = [UInt8](repeating: 1, count: 32)
        #expect(throws: CryptoError.self, "not on the curve") {
            try SignatureKey.ellipticCurve(.p256, x: coordinate, y: coordinate)
        }
        #expect(throws: CryptoError.self, "another size") {
            try SignatureKey.ellipticCurve(.p384, x: coordinate, y: coordinate)
        }
        #expect(throws: CryptoError.self, "no curve") {
            try SignatureKey.ellipticCurve(.rsa, x: coordinate, y: coordinate)
        }
        #expect(throws: CryptoError.self, "short") { try SignatureKey.ed25519([1, 2, 3]) }
    }

    @Test("The point at infinity of Ed25519 and other small orders verify nothing that is not signed")
    func smallOrder() throws {
        let key = try SignatureKey.ed25519([1] + [UInt8](repeating: 0, count: 31))
        #expect(!key.verifies([UInt8](repeating: 0, count: 64), of: [1, 2, 3], by: .edDSA))
    }
}
