import RTCCrypto
import Testing

@Suite("Whom a server's certificate is for")
struct CertificateNameTests {
    @Test(
        "Names are compared with names, and addresses with addresses",
        arguments: [
            ("turn.example", true), ("TURN.Example", true), ("turn.example.", true), ("a.wild.example", true),
            ("192.0.2.7", true), ("2001:db8::7", true), ("2001:db8:0::7", true),
            ("example", false), ("other.example", false), ("a.turn.example", false), ("xturn.example", false),
            ("wild.example", false), ("a.b.wild.example", false), ("192.0.2.8", false), ("::ffff:192.0.2.7", false),
            ("2001:db8::8", false), ("common.example", false), ("", false), (".", false), ("*", false),
            ("*.wild.example", false), ("turn.example\u{0}", false), ("turn.example:443", false),
        ])
    func names(host: String, isRight: Bool) {
        #expect(CertificateName.matches(Self.certificate, host: host) == isRight)
    }

    @Test("What is no certificate is for nobody")
    func garbage() {
        #expect(!CertificateName.matches([], host: "turn.example"))
        #expect(!CertificateName.matches([0x30, 0x03, 1, 2, 3], host: "turn.example"))
        for size in stride(from: 0, to: Self.certificate.count, by: 7) {
            #expect(!CertificateName.matches(Array(Self.certificate.prefix(size)), host: "turn.example"))
        }
    }

    /// Subject common.example; alternative names turn.example, *.wild.example, 192.0.2.7 and 2001:db8::7.
    private static let certificate: [UInt8] = {
        let digits = """
            3082019230820139a00302010202140c37e822517471c755ad0bc80079f8ee67734f60300a06082a8648ce3d04030230\
            1e311c301a06035504030c1344756574207465737420617574686f726974793020170d3230303130313030303030305a\
            180f32313230303130313030303030305a30193117301506035504030c0e636f6d6d6f6e2e6578616d706c6530593013\
            06072a8648ce3d020106082a8648ce3d03010703420004aadc00074a4e5b7b719d925bc493d2ca5656f70e3b15cce5de\
            6e29335896a6fb36b7f56bca5503571e4fafc1413faf40f5a885dcaa9bc82419f40d90490da00ba3583056303f060355\
            1d1104383036820c7475726e2e6578616d706c65820e2a2e77696c642e6578616d706c658704c0000207871020010db8\
            00000000000000000000000730130603551d25040c300a06082b06010505070301300a06082a8648ce3d040302034700\
            304402204bc06b16d676d9fb3a2f4dc2bac4868ecafbba90d218c11e27d913fd22f933f902200981f7ee9f807a3e9803\
            6335c17c747ea2cc7cb406b05c498111c96cc83e6bad
            """
        let nibbles = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }()
}
