import RTCTransport
import Testing

@Suite("Certificate fingerprints (RFC 8122)")
struct FingerprintTests {
    static let text = """
        4A:AD:B9:B1:3F:82:18:3B:54:02:12:DF:3E:5D:49:6B:\
        19:E5:7C:AB:3E:4B:65:2E:7D:46:3F:54:42:CD:54:F1
        """

    @Test("An attribute's value is read and written back")
    func roundTrip() throws {
        let fingerprint = try #require(Fingerprint("sha-256 \(Self.text)"))
        #expect(fingerprint.algorithm == .sha256)
        #expect(fingerprint.bytes.prefix(3) == [0x4a, 0xad, 0xb9])
        #expect(fingerprint.bytes.count == 32)
        #expect(fingerprint.text == Self.text)
        #expect(fingerprint.attributeValue == "sha-256 \(Self.text)")
    }

    @Test("Case does not matter")
    func lowercase() {
        #expect(Fingerprint("SHA-256 \(Self.text.lowercased())") == Fingerprint("sha-256 \(Self.text)"))
    }

    @Test(
        "What is malformed, unknown or of the wrong length is refused",
        arguments: [
            "", "sha-256", "sha-256 ", "sha-256 4A", "md2 \(text)", "sha-1 \(text)", "sha-512 \(text)",
            "sha-256 \(text):", "sha-256 :\(text)", "sha-256 \(text):00", "sha-256 \(text) x",
            "sha-256 \(text.dropLast())", "sha-256 \(text.dropLast())G",
            "sha-256 \(text.filter { $0 != ":" })", "sha-256 \(text.replacing(":", with: "::"))",
            "sha-256 \(String(repeating: "00:", count: 5_000))00",
        ])
    func malformed(_ value: String) {
        #expect(Fingerprint(value) == nil)
    }

    @Test("The strongest function that is announced decides; SHA-1, SHA-224 and MD5 never do")
    func strongest() throws {
        func fingerprint(_ algorithm: DigestAlgorithm, _ byte: UInt8) throws -> Fingerprint {
            try #require(
                Fingerprint(algorithm: algorithm, bytes: [UInt8](repeating: byte, count: algorithm.byteCount)))
        }
        let weak = [try fingerprint(.md5, 1), try fingerprint(.sha1, 2), try fingerprint(.sha224, 3)]
        let middle = [try fingerprint(.sha256, 4), try fingerprint(.sha256, 5)]
        let strong = [try fingerprint(.sha384, 6), try fingerprint(.sha384, 7)]
        #expect(Fingerprint.strongest(of: weak) == [])
        #expect(Fingerprint.strongest(of: weak + middle) == middle)
        #expect(Fingerprint.strongest(of: middle + weak + strong) == strong)
        #expect(weak.allSatisfy { !$0.isAcceptable } && (middle + strong).allSatisfy(\.isAcceptable))
    }
}
