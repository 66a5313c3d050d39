import RTCCrypto
import RTCTransport
import RTCWire
import Testing

@Suite("The peer's certificate is judged before a byte passes")
struct DTLSVerificationTests {
    static let versions: [DTLSVersion] = [.v12, .v13]

    func pair(_ version: DTLSVersion) throws -> DatagramPair {
        try DatagramPair(versions: (version...version, version...version))
    }

    static var stranger: [Fingerprint] {
        get throws {
            let fingerprint = try Certificate.generate().fingerprint()
            return fingerprint.map { [$0] } ?? []
        }
    }

    @Test(
        "The client sees a wrong certificate: it fails with the reason, the server with the alert", arguments: versions)
    func wrongServer(_ version: DTLSVersion) throws {
        let pair = try pair(version)
        pair.client.transport.setRemote(fingerprints: try Self.stranger, role: .client, at: pair.now)
        pair.server.transport.setRemote(
            fingerprints: pair.client.transport.localFingerprints, role: .server, at: pair.now)
        pair.client.transport.start(at: pair.now)
        pair.server.transport.start(at: pair.now)
        pair.run(until: .zero + .seconds(5))
        #expect(pair.client.states == [.connecting, .failed(.certificateRejected)])
        #expect(pair.server.states == [.connecting, .failed(.alert(42))])
        #expect(pair.send([1], from: .client) == false)
        #expect(pair.send([1], from: .server) == false)
        #expect(pair.client.received.isEmpty && pair.server.received.isEmpty)
        #expect(pair.client.transport.srtpKeyingMaterial == nil)
        #expect(pair.client.transport.remoteCertificateDER == nil)
    }

    @Test("The server sees a wrong certificate: nothing that the client sent early is passed up", arguments: versions)
    func wrongClient(_ version: DTLSVersion) throws {
        let pair = try pair(version)
        pair.client.transport.setRemote(
            fingerprints: pair.server.transport.localFingerprints, role: .client, at: pair.now)
        pair.server.transport.setRemote(fingerprints: try Self.stranger, role: .server, at: pair.now)
        pair.client.transport.start(at: pair.now)
        pair.server.transport.start(at: pair.now)
        // In DTLS 1.3 the client is done before the server has seen its certificate, and may send at once.
        if pair.run(until: .zero + .milliseconds(50), { $0.client.transport.state == .connected }) {
            #expect(version == .v13)
            for byte in 0..<5 { #expect(pair.send([UInt8(byte)], from: .client)) }
        }
        pair.run(until: .zero + .seconds(5))
        #expect(pair.server.states == [.connecting, .failed(.certificateRejected)])
        #expect(pair.client.transport.state == .failed(.alert(42)))
        #expect(pair.server.received.isEmpty)
        #expect(pair.send([1], from: .server) == false)
    }

    @Test("The rejecting side says so again to a peer that did not hear it")
    func alertIsLost() throws {
        let pair = try pair(.v13)
        pair.client.transport.setRemote(fingerprints: try Self.stranger, role: .client, at: pair.now)
        pair.server.transport.setRemote(
            fingerprints: pair.client.transport.localFingerprints, role: .server, at: pair.now)
        pair.client.transport.start(at: pair.now)
        pair.server.transport.start(at: pair.now)
        #expect(pair.run { $0.server.sentSizes.count > 0 })
        pair.impairment.loss = 100
        // The flight is on its way; the answer to it is lost.
        #expect(pair.run { $0.client.transport.state == .failed(.certificateRejected) })
        #expect(pair.server.transport.state == .connecting)
        pair.impairment.loss = 0
        #expect(pair.run(until: .zero + .seconds(5)) { $0.server.transport.state == .failed(.alert(42)) })
    }

    @Test("One of several fingerprints is enough, of the strongest function that is announced")
    func several() throws {
        let pair = try pair(.v13)
        let server = pair.server.certificate
        let right = try #require(server.fingerprint(.sha384))
        let weak = try #require(server.fingerprint(.sha256))
        let other = try #require(try Certificate.generate().fingerprint(.sha384))
        let legacy = try #require(server.fingerprint(.sha1))
        pair.client.transport.setRemote(fingerprints: [legacy, weak, other, right], role: .client, at: pair.now)
        pair.server.transport.setRemote(
            fingerprints: pair.client.transport.localFingerprints, role: .server, at: pair.now)
        pair.client.transport.start(at: pair.now)
        pair.server.transport.start(at: pair.now)
        #expect(pair.run { $0.isConnected })
    }

    @Test("A right but weaker fingerprint does not make up for a wrong stronger one")
    func weaker() throws {
        let pair = try pair(.v13)
        let weak = try #require(pair.server.certificate.fingerprint(.sha256))
        let wrong = try #require(try Certificate.generate().fingerprint(.sha512))
        pair.client.transport.setRemote(fingerprints: [weak, wrong], role: .client, at: pair.now)
        pair.server.transport.setRemote(
            fingerprints: pair.client.transport.localFingerprints, role: .server, at: pair.now)
        pair.client.transport.start(at: pair.now)
        pair.server.transport.start(at: pair.now)
        #expect(pair.run { $0.client.transport.state == .failed(.certificateRejected) })
    }

    @Test("Only SHA-1 and MD5: failed without a handshake", arguments: [DigestAlgorithm.sha1, .md5, .sha224])
    func tooWeak(_ algorithm: DigestAlgorithm) throws {
        let pair = try pair(.v13)
        let weak = try #require(pair.server.certificate.fingerprint(algorithm))
        pair.client.transport.setRemote(fingerprints: [weak], role: .client, at: pair.now)
        pair.client.transport.start(at: pair.now)
        pair.collect(.client)
        #expect(pair.client.states == [.failed(.certificateRejected)])
        #expect(pair.client.sentSizes.isEmpty)
    }

    @Test(
        "Without a verdict the handshake waits, and goes on when it comes", arguments: versions,
        [DTLSRole.client, .server])
    func pending(_ version: DTLSVersion, _ waiting: DTLSRole) throws {
        var sessions: [any DTLSSession] = []
        for _ in 0..<2 {
            var configuration = DTLSConfiguration(certificate: try Certificate.generate())
            configuration.minimumVersion = version
            configuration.maximumVersion = version
            sessions.append(try BoringCrypto().makeDTLSSession(configuration))
        }
        let roles: [DTLSRole] = [.client, .server]
        for (session, role) in zip(sessions, roles) {
            if role != waiting { session.verifyPeer { _ in true } }
            session.start(as: role, at: .zero)
        }
        var now = Instant.zero
        for _ in 0..<400 {
            exchange(sessions, at: now)
            now += .milliseconds(10)
            for session in sessions where session.nextDeadline.map({ $0 <= now }) == true {
                session.handleTimeout(at: now)
            }
        }
        let held = sessions[waiting == .client ? 0 : 1]
        #expect(held.state == .handshaking)
        #expect(held.exportKeyingMaterial(label: "EXTRACTOR-dtls_srtp", count: 60) == nil)
        var judged: [[UInt8]] = []
        held.verifyPeer {
            judged.append($0)
            return true
        }
        #expect(judged.count == 1)
        for _ in 0..<400 where sessions.contains(where: { $0.state != .connected }) {
            exchange(sessions, at: now)
            now += .milliseconds(10)
            for session in sessions where session.nextDeadline.map({ $0 <= now }) == true {
                session.handleTimeout(at: now)
            }
        }
        #expect(sessions.allSatisfy { $0.state == .connected })
        let material = sessions.map { $0.exportKeyingMaterial(label: "EXTRACTOR-dtls_srtp", count: 60) }
        #expect(material[0] != nil && material[0] == material[1])
    }

    @Test("Application data that overtakes the client's last flight is kept for after it", arguments: versions)
    func overtaking(_ version: DTLSVersion) throws {
        let pair = try pair(version)
        pair.connect()
        let late: DatagramPair.Side = version == .v13 ? .server : .client
        let early: DatagramPair.Side = version == .v13 ? .client : .server
        // Carries the handshake by hand up to the last flight, which is set aside.
        var last: [[UInt8]] = []
        for _ in 0..<4 where last.isEmpty {
            for datagram in DTLSHandshakeTests.poll(&pair.client.transport, at: pair.now) {
                if late == .server, pair.client.transport.state == .connected {
                    last.append(datagram)
                } else {
                    pair.deliver(datagram, to: .server)
                }
            }
            for datagram in DTLSHandshakeTests.poll(&pair.server.transport, at: pair.now) {
                if late == .client, pair.server.transport.state == .connected {
                    last.append(datagram)
                } else {
                    pair.deliver(datagram, to: .client)
                }
            }
        }
        #expect(!last.isEmpty)
        #expect(pair.send([7, 7, 7], from: early))
        pair.run(until: pair.now + .milliseconds(30))
        #expect(pair[late].transport.state == .connecting)
        for datagram in last { pair.deliver(datagram, to: late) }
        pair.collect(late)
        #expect(pair[late].transport.state == .connected)
        #expect(pair[late].received == [[7, 7, 7]])
    }

    /// Carries datagrams both ways until neither has one.
    private func exchange(_ sessions: [any DTLSSession], at now: Instant) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_000, alignment: 16)
        defer { memory.deallocate() }
        for (from, to) in [(0, 1), (1, 0), (0, 1), (1, 0)] {
            while true {
                var batch = TransmitBatch(memory)
                guard sessions[from].pollTransmit(into: &batch) else { break }
                for start in stride(from: 0, to: batch.byteCount, by: max(1, batch.segmentSize)) {
                    let datagram = memory[start..<min(start + batch.segmentSize, batch.byteCount)]
                    sessions[to].receive(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: datagram)), at: now)
                }
            }
        }
    }
}
