import RTCCrypto
import RTCTransport
import RTCWire
import Testing

@Suite("A hostile DTLS peer")
struct DTLSHostilePeerTests {
    /// SHA-1 with RSA and with ECDSA (RFC 5246, section 7.4.1.4.1).
    private static let sha1Algorithms: [[UInt8]] = [[2, 1], [2, 3]]

    @Test("Signatures with SHA-1 are not asked for (RFC 9155)", arguments: [DTLSVersion.v12, .v13])
    func asked(version: DTLSVersion) throws {
        let hello = try clientHello(version)
        let list = try #require(signatureAlgorithms(in: hello))
        let algorithms = stride(from: list.lowerBound, to: list.upperBound, by: 2).map { Array(hello[$0..<$0 + 2]) }
        #expect(algorithms.contains([4, 3]))
        for algorithm in algorithms { #expect(!Self.sha1Algorithms.contains(algorithm)) }
    }

    @Test("Nor given to a client that wants nothing else (RFC 9155)")
    func given() throws {
        let hello = try clientHello(.v12)
        let list = try #require(signatureAlgorithms(in: hello))
        let certificate = try Certificate(
            pem: CertificateTests.rsaCertificatePEM, privateKeyPEM: CertificateTests.rsaKeyPEM)
        /// How a server takes it when the client wants one algorithm only, with RSA and the given hash function.
        func answer(toHash hash: UInt8) throws -> DTLSTransportState {
            var changed = hello
            // The length stays, so that the rest of the message may stay as it is.
            for place in stride(from: list.lowerBound, to: list.upperBound, by: 2) {
                changed.replaceSubrange(place..<place + 2, with: [hash, 1])
            }
            var server = try transport(.v12 ... .v12, .server, certificate: certificate)
            changed.withUnsafeBytes { server.receive(RawSpan(_unsafeBytes: $0), at: .zero) }
            return server.state
        }
        #expect(try answer(toHash: 4) == .connecting)
        #expect(try answer(toHash: 2) == .failed(.handshake("NO_SHARED_CIPHER")))
    }

    @Test("A certificate that claims to be larger than 16 KiB is refused before memory is set aside for it")
    func largeCertificate() throws {
        var client = try transport(.v12 ... .v12, .client)
        #expect(client.state == .connecting)
        let size: [UInt8] = [0, 0xEA, 0x60]
        let fragment: [UInt8] = [11] + size + [0, 1, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4]
        let record = [22, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 1, 0, UInt8(fragment.count)] + fragment
        record.withUnsafeBytes { client.receive(RawSpan(_unsafeBytes: $0), at: .zero) }
        #expect(client.state == .failed(.handshake("EXCESSIVE_MESSAGE_SIZE")))
    }

    @Test("A certificate of 10,000 bytes is taken")
    func wideCertificate() throws {
        // Nobody signs such a thing here; the claim alone must not end the handshake.
        var client = try transport(.v12 ... .v12, .client)
        let fragment: [UInt8] = [11, 0, 0x27, 0x10, 0, 1, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4]
        let record = [22, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 1, 0, UInt8(fragment.count)] + fragment
        record.withUnsafeBytes { client.receive(RawSpan(_unsafeBytes: $0), at: .zero) }
        #expect(client.state == .connecting)
    }

    // MARK: One side alone

    private func transport(
        _ versions: ClosedRange<DTLSVersion>, _ role: DTLSRole, certificate: Certificate? = nil
    ) throws -> DTLSTransport {
        var configuration = DTLSConfiguration(certificate: try certificate ?? Certificate.generate())
        configuration.minimumVersion = versions.lowerBound
        configuration.maximumVersion = versions.upperBound
        var transport = DTLSTransport(configuration: configuration, crypto: BoringCrypto())
        let anyFingerprint = try #require(Fingerprint(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32)))
        transport.setRemote(fingerprints: [anyFingerprint], role: role, at: .zero)
        transport.start(at: .zero)
        return transport
    }

    private func clientHello(_ version: DTLSVersion) throws -> [UInt8] {
        var client = try transport(version...version, .client)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_000, alignment: 16)
        defer { memory.deallocate() }
        var batch = TransmitBatch(memory)
        #expect(client.pollTransmit(into: &batch, at: .zero))
        return Array(batch.memory[..<batch.byteCount])
    }

    /// Where the list of the extension signature_algorithms is (RFC 8446, section 4.2.3).
    private func signatureAlgorithms(in hello: [UInt8]) -> Range<Int>? {
        for place in hello.indices.dropLast(8) where hello[place] == 0 && hello[place + 1] == 13 {
            let length = Int(hello[place + 2]) << 8 | Int(hello[place + 3])
            let list = Int(hello[place + 4]) << 8 | Int(hello[place + 5])
            if length == list + 2, list > 0, list % 2 == 0, place + 6 + list <= hello.count {
                return place + 6..<place + 6 + list
            }
        }
        return nil
    }
}
