import Testing

@testable import WebRTCKit

/// The vectors of docs/security.md, computed there by another program than ours (Python's hashlib).
@Suite("Verification: the vectors of docs/security.md")
struct VerificationVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let callerFingerprint: String
        let calleeFingerprint: String
        let callerNonce: String
        let calleeNonce: String
        let commitment: String
        let hash: String
        let emoji: [String]
        let names: [String]
        let digits: String

        var testDescription: String { name }
    }

    static let vectors = [
        Vector(
            name: "counting",
            callerFingerprint: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            calleeFingerprint: "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
            callerNonce: "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
            calleeNonce: "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f",
            commitment: "1a0bfbf196a4e1a846ed0a822d41d59874b6fd4caf0470a61451db43321ce56b",
            hash: "705b85b85734d0b971d2ca3dd2ba3c40a2e68afaaa99d982515ce9f30808fd66",
            emoji: ["🧀", "🐘", "🎁", "🐘", "🎁"], names: ["cheese", "elephant", "gift", "elephant", "gift"],
            digits: "272330816"),
        Vector(
            name: "zeros",
            callerFingerprint: "0000000000000000000000000000000000000000000000000000000000000000",
            calleeFingerprint: "0000000000000000000000000000000000000000000000000000000000000000",
            callerNonce: "0000000000000000000000000000000000000000000000000000000000000000",
            calleeNonce: "0000000000000000000000000000000000000000000000000000000000000000",
            commitment: "d83e677074aff9e92d4e31b76e7027eb9dd36738bc5976ca8d247cfd2a3ee2b8",
            hash: "11fac6a7f4b3031ce474bd6089bda3bfe7b41711ab6e7d7e7b861061f6dc84a7",
            emoji: ["🐨", "🍦", "🚌", "🦓", "🚀"], names: ["koala", "ice cream", "bus", "zebra", "rocket"],
            digits: "271422399"),
        Vector(
            name: "digits that begin with zeros",
            callerFingerprint: "09a95249dcdb8e56444d5fddbac4dcc3debe1a0005524c2d51e9d472fb15b669",
            calleeFingerprint: "2df5397391f1fb2803238cd26bbdf03fccc624fd37e9c7166c86fc21b953b660",
            callerNonce: "68b24a20cb8ff18e2a8fc6e06f73da83e306e8d2b94cad26c2c358a6485572df",
            calleeNonce: "5635f69b9431e45e80a4f6dcf73182d52bfbb8ca429932a9bb5b06145787f794",
            commitment: "924e9e762df6ddbef8f673ebf7d24329252b360172be1198307639b7884bc108",
            hash: "c60314d606871c8d5f472dd724aee124b17701e95293a5a5bd44cd2aaec6b127",
            emoji: ["🎺", "🍩", "🦀", "🍄", "🔨"], names: ["trumpet", "doughnut", "crab", "mushroom", "hammer"],
            digits: "006269732"),
    ]

    @Test("Commitment, hash, emoji, their names and digits", arguments: vectors)
    func hashes(vector: Vector) throws {
        let fingerprints = try VerificationHash.Fingerprints(
            caller: bytes(vector.callerFingerprint), callee: bytes(vector.calleeFingerprint))
        let commitment = try VerificationHash.commitment(
            fingerprints: fingerprints, callerNonce: bytes(vector.callerNonce))
        #expect(try commitment == bytes(vector.commitment))
        let hash = try VerificationHash.code(
            fingerprints: fingerprints, callerNonce: bytes(vector.callerNonce), calleeNonce: bytes(vector.calleeNonce))
        #expect(try hash == bytes(vector.hash))
        let code = try #require(VerificationCode(digest: bytes(vector.hash)))
        #expect(code.emoji == vector.emoji)
        #expect(code.emojiNames == vector.names)
        #expect(code.digits == vector.digits)
    }

    @Test("What each side sends, and that both come to the vector's code", arguments: vectors)
    func exchange(vector: Vector) throws {
        let (callerFingerprint, calleeFingerprint) =
            (try bytes(vector.callerFingerprint), try bytes(vector.calleeFingerprint))
        var caller = Verification(isCaller: true, nonce: try bytes(vector.callerNonce))
        var callee = Verification(isCaller: false, nonce: try bytes(vector.calleeNonce))
        #expect(callee.begin(local: calleeFingerprint, remote: callerFingerprint).isEmpty)
        let commit = caller.begin(local: callerFingerprint, remote: calleeFingerprint)
        #expect(commit == [VerificationMessage(step: .commit, value: try bytes(vector.commitment))])
        let nonce = callee.receive(commit[0])
        #expect(nonce == [VerificationMessage(step: .nonce, value: try bytes(vector.calleeNonce))])
        #expect(caller.status == .waiting && callee.status == .waiting)
        let reveal = caller.receive(nonce[0])
        #expect(reveal == [VerificationMessage(step: .reveal, value: try bytes(vector.callerNonce))])
        #expect(callee.receive(reveal[0]).isEmpty)
        let code = try #require(caller.code)
        #expect(code.emoji == vector.emoji && code.digits == vector.digits)
        #expect(callee.code == code)
        #expect(caller.status == .code(code) && callee.status == .code(code))
    }

    @Test("The code as one line has its digits in groups of three")
    func line() throws {
        let code = try #require(VerificationCode(digest: bytes(Self.vectors[2].hash)))
        #expect(code.groupedDigits == "006 269 732")
        #expect(String(describing: code) == "🎺 🍩 🦀 🍄 🔨 006 269 732")
    }

    @Test(
        "Of 64 pictures none is there twice, each is one code point and has a name of its own, and all can be reached")
    func table() throws {
        let all = VerificationEmoji.all
        #expect(all.count == 64)
        #expect(Set(all.map(\.symbol)).count == 64)
        #expect(Set(all.map(\.name)).count == 64)
        #expect(all.allSatisfy { $0.symbol.unicodeScalars.count == 1 && !$0.name.isEmpty })
        #expect(all.allSatisfy { $0.symbol.unicodeScalars.first?.properties.isEmojiPresentation == true })
        for (index, emoji) in all.enumerated() {
            let bits = (0..<5).reduce(UInt32(0)) { bits, _ in bits << 6 | UInt32(index) } << 2
            let digest =
                (0..<4).map { UInt8(truncatingIfNeeded: bits >> (24 - 8 * $0)) } + [UInt8](repeating: 0, count: 28)
            let code = try #require(VerificationCode(digest: digest))
            #expect(code.emoji == [String](repeating: emoji.symbol, count: 5))
            #expect(code.digits == "000000000")
        }
    }

    @Test("Bytes that are no hash give no code")
    func length() {
        for count in [0, 16, 31, 33, 64] {
            #expect(VerificationCode(digest: [UInt8](repeating: 1, count: count)) == nil)
        }
    }

    private func bytes(_ hexadecimal: String) throws -> [UInt8] {
        let digits = Array(hexadecimal)
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
        }
    }
}
