import RTCCrypto
import RTCTransport
import RTCWire
import Testing

@Suite("Certificates")
struct CertificateTests {
    @Test("A generated certificate names its expiry, and no two are alike")
    func generated() throws {
        let now: Int64 = 1_800_000_000
        let certificate = try Certificate.generate(now: now)
        #expect(certificate.expiry == now + 30 * 86_400)
        #expect(certificate.hasExpired(at: now) == false)
        #expect(certificate.hasExpired(at: certificate.expiry + 1))
        #expect(try Certificate.generate(now: now).der != certificate.der)
        #expect(certificate.der.count < 400)
    }

    @Test("The lifetime is the caller's; one that makes no sense is refused")
    func lifetime() throws {
        let certificate = try Certificate.generate(lifetime: .seconds(3_600), now: 1_000_000)
        #expect(certificate.expiry == 1_003_600)
        #expect(throws: CryptoError.self) { try Certificate.generate(lifetime: .zero) }
        #expect(throws: CryptoError.self) { try Certificate.generate(lifetime: .seconds(-5)) }
        #expect(throws: CryptoError.self) { try Certificate.generate(now: .max) }
        #expect(throws: CryptoError.self) { try Certificate.generate(now: 253_402_300_799) }
        #expect(try Certificate.generate().expiry > 1_700_000_000)
    }

    @Test("A supplied certificate is read from PEM and from DER, of both kinds of key")
    func supplied() throws {
        let supplied = try Certificate(pem: Self.certificatePEM, privateKeyPEM: Self.keyPEM)
        #expect(supplied.expiry == Self.expiry)
        #expect(supplied.fingerprint()?.text == Self.fingerprint)
        let again = try Certificate(der: supplied.der, privateKeyDER: Self.keyDER)
        #expect(again.der == supplied.der)
        let rsa = try Certificate(pem: Self.rsaCertificatePEM, privateKeyPEM: Self.rsaKeyPEM)
        #expect(rsa.expiry >= Self.expiry)
    }

    @Test("What cannot be used is refused with the reason")
    func refused() throws {
        #expect(throws: CryptoError.self) { try Certificate(pem: "nonsense", privateKeyPEM: Self.keyPEM) }
        #expect(throws: CryptoError.self) { try Certificate(pem: Self.certificatePEM, privateKeyPEM: "") }
        #expect(throws: CryptoError.self) { try Certificate(der: [0x30, 0x80], privateKeyDER: Self.keyDER) }
        #expect {
            try Certificate(pem: Self.certificatePEM, privateKeyPEM: Self.rsaKeyPEM)
        } throws: {
            "\($0)".contains("does not belong to the certificate")
        }
    }

    @Test("Supplied ECDSA and RSA certificates carry a handshake", arguments: [DTLSVersion.v12, .v13])
    func handshake(_ version: DTLSVersion) throws {
        let certificates = [
            try Certificate(pem: Self.certificatePEM, privateKeyPEM: Self.keyPEM),
            try Certificate(pem: Self.rsaCertificatePEM, privateKeyPEM: Self.rsaKeyPEM),
        ]
        for certificate in certificates {
            let pair = try DatagramPair(
                versions: (version...version, version...version), certificates: (certificate, certificate))
            #expect(pair.connectAndRun())
        }
    }

    @Test("Its description shows the fingerprint and not the key")
    func description() throws {
        let certificate = try Certificate(pem: Self.certificatePEM, privateKeyPEM: Self.keyPEM)
        #expect("\(certificate)" == "Certificate(sha-256 \(Self.fingerprint), expires \(Self.expiry))")
    }

    @Test("A certificate of another provider is refused")
    func foreign() {
        final class Foreign: LocalCertificate {
            let der: [UInt8] = [1]
            let expiry: Int64 = 0
        }
        #expect(throws: CryptoError.self) {
            try BoringCrypto().makeDTLSSession(DTLSConfiguration(certificate: Foreign()))
        }
    }

    @Test("Settings that make no sense are refused")
    func settings() throws {
        var configuration = DTLSConfiguration(certificate: try Certificate.generate())
        configuration.minimumVersion = .v13
        configuration.maximumVersion = .v12
        #expect(throws: CryptoError.self) { try BoringCrypto().makeDTLSSession(configuration) }
        configuration.minimumVersion = .v12
        configuration.maximumDatagramSize = 100
        #expect(throws: CryptoError.self) { try BoringCrypto().makeDTLSSession(configuration) }
    }
}
