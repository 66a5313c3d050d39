import RTCTransport
import RTCWire
import Testing

@Suite("The DTLS transport joins signalling, ICE and the handshake")
struct DTLSTransportTests {
    let crypto = ScriptedDTLSCrypto()

    func transport() -> DTLSTransport {
        DTLSTransport(configuration: DTLSConfiguration(certificate: ScriptedDTLSCertificate()), crypto: crypto)
    }

    /// The fingerprint of a certificate whose DER is `[byte]`.
    func fingerprint(_ byte: UInt8, _ algorithm: DigestAlgorithm = .sha256) throws -> Fingerprint {
        try #require(Fingerprint(ofCertificate: [byte], algorithm: algorithm, crypto: crypto))
    }

    func receive(_ datagram: [UInt8], _ transport: inout DTLSTransport) {
        datagram.withUnsafeBytes { transport.receive(RawSpan(_unsafeBytes: $0), at: .zero) }
    }

    func events(_ transport: inout DTLSTransport) -> [DTLSEvent] {
        var events: [DTLSEvent] = []
        while let event = transport.pollEvent() { events.append(event) }
        return events
    }

    @Test("Nothing begins before both the description and a path are there", arguments: [true, false])
    func begins(isPathFirst: Bool) throws {
        var transport = transport()
        #expect(transport.state == .new)
        if isPathFirst { transport.start(at: .zero) }
        #expect(crypto.sessions.isEmpty)
        transport.setRemote(fingerprints: [try fingerprint(9)], role: .server, at: .zero)
        #expect(crypto.sessions.isEmpty != isPathFirst)
        if !isPathFirst { transport.start(at: .zero) }
        #expect(crypto.sessions.first?.role == .server)
        #expect(transport.state == .connecting)
        #expect(events(&transport) == [.state(.connecting)])
    }

    @Test("Datagrams that come first are held, in order, and used")
    func held() throws {
        var transport = transport()
        receive([22, 1], &transport)
        transport.start(at: .zero)
        receive([22, 2], &transport)
        transport.setRemote(fingerprints: [try fingerprint(9)], role: .server, at: .zero)
        receive([22, 3], &transport)
        #expect(crypto.sessions.first?.received == [[22, 1], [22, 2], [22, 3]])
        #expect(transport.droppedRecords == 0)
    }

    @Test("No more than 8 datagrams and 16 KiB are held; the rest is dropped and counted")
    func bounds() throws {
        var many = transport()
        for byte: UInt8 in 0..<20 { receive([22, byte], &many) }
        #expect(many.droppedRecords == 12)
        var large = transport()
        for _ in 0..<4 { receive([UInt8](repeating: 22, count: 6_000), &large) }
        #expect(large.droppedRecords == 2)
        receive([], &large)
        #expect(large.droppedRecords == 3)
        large.setRemote(fingerprints: [try fingerprint(9)], role: .server, at: .zero)
        large.start(at: .zero)
        #expect(crypto.sessions.first?.received.map(\.count) == [6_000, 6_000])
    }

    @Test("Twice ICE's round trip times the first retransmission, within 50 ms and 3 s")
    func timeout() throws {
        for (measured, expected) in [(5, 50), (100, 200), (9_000, 3_000)] {
            var transport = transport()
            transport.setRemote(fingerprints: [try fingerprint(9)], role: .client, at: .zero)
            transport.start(at: .zero, roundTripTime: .milliseconds(Int64(measured)))
            #expect(crypto.configurations.last?.initialTimeout == .milliseconds(Int64(expected)))
        }
    }

    @Test("The certificate is judged by the fingerprints, and kept once accepted")
    func judgement() throws {
        var transport = transport()
        transport.setRemote(fingerprints: [try fingerprint(9), try fingerprint(8)], role: .client, at: .zero)
        transport.start(at: .zero)
        let accepts = try #require(crypto.sessions.first?.accepts)
        #expect(accepts([7]) == false)
        #expect(transport.remoteCertificateDER == nil)
        #expect(accepts([8]))
        #expect(transport.remoteCertificateDER == [8])
    }

    @Test("The same description again changes nothing; another asks for a new session")
    func restart() throws {
        var transport = transport()
        let (one, other) = (try fingerprint(1), try fingerprint(2))
        #expect(transport.setRemote(fingerprints: [one], role: .client, tlsID: "a", at: .zero) == .accepted)
        // Before the handshake a better description simply replaces the first.
        #expect(transport.setRemote(fingerprints: [one, other], role: .client, tlsID: "a", at: .zero) == .accepted)
        transport.start(at: .zero)
        #expect(transport.setRemote(fingerprints: [other, one], role: .client, tlsID: "a", at: .zero) == .unchanged)
        #expect(transport.setRemote(fingerprints: [other], role: .client, tlsID: "a", at: .zero) == .needsNewSession)
        #expect(
            transport.setRemote(fingerprints: [one, other], role: .client, tlsID: "b", at: .zero) == .needsNewSession)
        #expect(
            transport.setRemote(fingerprints: [one, other], role: .server, tlsID: "a", at: .zero) == .needsNewSession)
        #expect(transport.state == .connecting)
        #expect(crypto.sessions.count == 1)
    }

    @Test("No acceptable fingerprint, none at all, and a session that cannot be made: failed with the reason")
    func unusable() throws {
        for fingerprints in [[try fingerprint(1, .sha1), try fingerprint(1, .md5)], []] {
            var transport = transport()
            transport.start(at: .zero)
            transport.setRemote(fingerprints: fingerprints, role: .client, at: .zero)
            #expect(events(&transport) == [.state(.failed(.certificateRejected))])
        }
        #expect(crypto.sessions.isEmpty)
        crypto.refusal = CryptoError("out of luck")
        var transport = transport()
        transport.start(at: .zero)
        transport.setRemote(fingerprints: [try fingerprint(1)], role: .client, at: .zero)
        #expect(events(&transport) == [.state(.failed(.handshake("out of luck")))])
    }

    @Test("Nothing is read or sealed before the session is connected, whatever it holds")
    func gate() throws {
        var transport = transport()
        transport.setRemote(fingerprints: [try fingerprint(9)], role: .client, at: .zero)
        transport.start(at: .zero)
        let session = try #require(crypto.sessions.first)
        session.readable = [[1, 2, 3]]
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 17_000, alignment: 16)
        defer { buffer.deallocate() }
        var batch = TransmitBatch(buffer)
        #expect(transport.readApplicationData(into: buffer) == nil)
        let isSealed = [UInt8](repeating: 1, count: 4).withUnsafeBytes { transport.seal($0, into: &batch) }
        #expect(!isSealed)
        session.state = .connected
        receive([23], &transport)
        #expect(transport.state == .connected)
        #expect(transport.readApplicationData(into: buffer) == 3)
        #expect(transport.readApplicationData(into: buffer) == nil)
        #expect(events(&transport) == [.state(.connecting), .state(.connected)])
    }

    @Test("Keys for SRTP are split by profile and role")
    func keys() throws {
        for profile in SRTPProfile.allCases {
            for role in [DTLSRole.client, .server] {
                var transport = transport()
                transport.setRemote(fingerprints: [try fingerprint(9)], role: role, at: .zero)
                transport.start(at: .zero)
                let session = try #require(crypto.sessions.last)
                session.srtpProfile = profile
                #expect(transport.srtpKeyingMaterial == nil)
                session.state = .connected
                receive([23], &transport)
                let keys = try #require(transport.srtpKeyingMaterial)
                // RFC 5764, section 4.2: client key, server key, client salt, server salt.
                let (key, salt) = profile == .aeadAES256GCM ? (32, 12) : (16, profile == .aeadAES128GCM ? 12 : 14)
                let client = (key: 0, salt: 2 * key)
                let server = (key: key, salt: 2 * key + salt)
                let (local, remote) = role == .client ? (client, server) : (server, client)
                #expect(keys.localKey == (0..<key).map { UInt8(local.key + $0) })
                #expect(keys.remoteKey == (0..<key).map { UInt8(remote.key + $0) })
                #expect(keys.localSalt == (0..<salt).map { UInt8(local.salt + $0) })
                #expect(keys.remoteSalt == (0..<salt).map { UInt8(remote.salt + $0) })
                #expect("\(keys)" == "SRTP keying material for \(profile)")
            }
        }
    }

    @Test("Closing forgets what is held, and nothing follows it")
    func close() throws {
        var transport = transport()
        receive([22, 1], &transport)
        transport.close(at: .zero)
        transport.setRemote(fingerprints: [try fingerprint(9)], role: .server, at: .zero)
        transport.start(at: .zero)
        #expect(crypto.sessions.isEmpty)
        #expect(events(&transport) == [.state(.closed)])
    }

    @Test("DTLS is told from STUN, TURN channels and RTP by the first byte (RFC 7983)")
    func firstByte() {
        #expect([19, 64, 0, 3, 128, 255].allSatisfy { !DTLSTransport.accepts(firstByte: $0) })
        #expect([20, 22, 23, 47, 63].allSatisfy { DTLSTransport.accepts(firstByte: $0) })
    }
}
