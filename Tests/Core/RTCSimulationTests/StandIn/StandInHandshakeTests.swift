import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("The stand-in's handshake")
struct StandInHandshakeTests {
    @Test("of DTLS 1.3 takes the client one round trip and the server one and a half")
    func flights13() throws {
        let pair = try SessionPair()
        #expect(pair.client.state == .handshaking && pair.server.state == .handshaking)
        let hello = pair.outgoing(pair.client)
        #expect(hello.count == 1 && hello.allSatisfy { $0[0] == 22 })
        pair.give(hello, to: pair.server)
        pair.give(pair.outgoing(pair.server), to: pair.client)
        #expect(pair.client.state == .connected && pair.server.state == .handshaking)
        pair.give(pair.outgoing(pair.client), to: pair.server)
        #expect(pair.server.state == .connected)
        #expect(pair.client.nextDeadline != nil && pair.server.nextDeadline == nil)
        pair.give(pair.outgoing(pair.server), to: pair.client)
        #expect(pair.client.nextDeadline == nil)
        #expect(pair.client.parameters?.version == .v13 && pair.server.parameters == pair.client.parameters)
    }

    @Test("of DTLS 1.2 takes the client two round trips")
    func flights12() throws {
        let pair = try SessionPair(server: { $0.maximumVersion = .v12 })
        pair.give(pair.outgoing(pair.client), to: pair.server)
        pair.give(pair.outgoing(pair.server), to: pair.client)
        #expect(pair.client.state == .handshaking)
        pair.give(pair.outgoing(pair.client), to: pair.server)
        #expect(pair.server.state == .connected && pair.client.state == .handshaking)
        pair.give(pair.outgoing(pair.server), to: pair.client)
        #expect(pair.client.state == .connected)
        #expect(pair.client.parameters?.version == .v12)
        #expect(pair.client.parameters?.cipherSuite == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
    }

    @Test("cuts a long hello into datagrams, which may come in any order and more than once")
    func fragments() throws {
        let pair = try SessionPair(helloSize: 3_000)
        let hello = pair.outgoing(pair.client)
        #expect(hello.count == 3 && hello.allSatisfy { $0.count <= 1_200 })
        pair.give([hello[2], hello[2], hello[0]], to: pair.server)
        #expect(pair.outgoing(pair.server).isEmpty)
        pair.give([hello[1]], to: pair.server)
        pair.run()
        #expect(pair.client.state == .connected && pair.server.state == .connected)
    }

    @Test("sends a lost flight again, after ever longer times", arguments: [DTLSVersion.v12, .v13])
    func retransmission(version: DTLSVersion) throws {
        let pair = try SessionPair(client: { $0.maximumVersion = version })
        // Each flight is lost twice; the sessions wake each other by their deadlines alone.
        var lost: [Int: Int] = [:]
        for _ in 0..<200 where pair.client.nextDeadline != nil || pair.server.nextDeadline != nil {
            for (index, sender, receiver) in [(0, pair.client, pair.server), (1, pair.server, pair.client)] {
                for datagram in pair.outgoing(sender) {
                    let flight = index << 8 | Int(datagram[13])
                    lost[flight, default: 0] += 1
                    if lost[flight, default: 0] > 2 { pair.give([datagram], to: receiver) }
                }
            }
            let deadlines = [pair.client.nextDeadline, pair.server.nextDeadline].compactMap { $0 }
            guard let next = deadlines.min() else { continue }
            pair.wait(max(.zero, next - pair.now))
            pair.client.handleTimeout(at: pair.now)
            pair.server.handleTimeout(at: pair.now)
        }
        #expect(pair.client.state == .connected && pair.server.state == .connected)
        #expect(lost.count == 4)
        #expect(pair.now >= Instant.zero + .milliseconds(600))
    }

    @Test("sends nothing again before its time")
    func deadline() throws {
        let pair = try SessionPair()
        #expect(pair.outgoing(pair.client).count == 1)
        #expect(pair.client.nextDeadline == Instant.zero + .milliseconds(200))
        pair.wait(.milliseconds(199))
        pair.client.handleTimeout(at: pair.now)
        #expect(pair.outgoing(pair.client).isEmpty)
        pair.wait(.milliseconds(1))
        pair.client.handleTimeout(at: pair.now)
        #expect(pair.outgoing(pair.client).count == 1)
        #expect(pair.client.nextDeadline == Instant.zero + .milliseconds(600))
    }

    @Test("fails when nobody answers")
    func timeout() throws {
        let pair = try SessionPair(client: { $0.handshakeTimeout = .seconds(5) })
        while let deadline = pair.client.nextDeadline {
            pair.wait(deadline - pair.now)
            pair.client.handleTimeout(at: pair.now)
        }
        #expect(pair.client.state == .failed(.timedOut))
        #expect(pair.now == .zero + .seconds(5))
        // A server that nobody speaks to waits for ever.
        #expect(pair.server.nextDeadline == nil && pair.server.state == .handshaking)
    }

    @Test("does not fail any more once connected, if only the last acknowledgement is lost")
    func lostAcknowledgement() throws {
        let pair = try SessionPair()
        pair.give(pair.outgoing(pair.client), to: pair.server)
        pair.give(pair.outgoing(pair.server), to: pair.client)
        pair.give(pair.outgoing(pair.client), to: pair.server)
        #expect(pair.client.state == .connected && pair.server.state == .connected)
        var repetitions = 0
        while let deadline = pair.client.nextDeadline {
            pair.wait(deadline - pair.now)
            pair.client.handleTimeout(at: pair.now)
            repetitions += pair.outgoing(pair.client).count
        }
        #expect(repetitions > 3 && pair.client.state == .connected)
    }

    @Test("waits at the peer's certificate until somebody can judge it")
    func pendingVerification() throws {
        let pair = try SessionPair(verifies: false)
        pair.run()
        #expect(pair.client.state == .handshaking && pair.server.state == .handshaking)
        #expect(pair.client.nextDeadline == nil)
        #expect(pair.seal([1], from: pair.client) == nil)
        #expect(pair.client.exportKeyingMaterial(label: "x", count: 8) == nil)
        pair.client.verifyPeer { [expected = pair.serverCertificate.der] in $0 == expected }
        #expect(pair.client.state == .connected)
        pair.give(pair.outgoing(pair.client), to: pair.server)
        #expect(pair.server.state == .handshaking)
        // What the client sends meanwhile is neither lost nor readable yet.
        let early = try #require(pair.seal([1, 2, 3], from: pair.client))
        pair.give([early], to: pair.server)
        #expect(pair.read(pair.server).isEmpty)
        pair.server.verifyPeer { [expected = pair.clientCertificate.der] in $0 == expected }
        #expect(pair.server.state == .connected)
        #expect(pair.read(pair.server) == [[1, 2, 3]])
    }

    @Test("rejects a certificate and tells the peer why")
    func rejection() throws {
        let pair = try SessionPair(verifies: false)
        pair.client.verifyPeer { _ in true }
        pair.server.verifyPeer { _ in false }
        pair.give(pair.outgoing(pair.client), to: pair.server)
        pair.give(pair.outgoing(pair.server), to: pair.client)
        #expect(pair.client.state == .connected)
        pair.give(pair.outgoing(pair.client), to: pair.server)
        #expect(pair.server.state == .failed(.certificateRejected))
        #expect(pair.seal([1], from: pair.server) == nil && pair.server.nextDeadline == nil)
        let data = try #require(pair.seal([1], from: pair.client))
        pair.give([data], to: pair.server)
        #expect(pair.read(pair.server).isEmpty)
        // In DTLS 1.3 the client is connected by now and heeds protected alerts only.
        pair.give(pair.outgoing(pair.server), to: pair.client)
        #expect(pair.client.state == .failed(.alert(42)))
    }

    @Test("rejects a server's certificate")
    func rejectedServer() throws {
        let pair = try SessionPair(verifies: false)
        pair.client.verifyPeer { _ in false }
        pair.run()
        #expect(pair.client.state == .failed(.certificateRejected))
        #expect(pair.server.state == .failed(.alert(42)))
    }

    @Test("chooses the server's favourite among the client's SRTP profiles (RFC 5764)")
    func srtpProfiles() throws {
        let pair = try SessionPair(
            client: { $0.srtpProfiles = [.aes128CMHMACSHA1_80, .aeadAES256GCM] },
            server: { $0.srtpProfiles = [.aeadAES128GCM, .aeadAES256GCM, .aes128CMHMACSHA1_80] })
        pair.run()
        #expect(pair.client.srtpProfile == .aeadAES256GCM && pair.server.srtpProfile == .aeadAES256GCM)
        let without = try SessionPair(client: { $0.srtpProfiles = [] })
        without.run()
        #expect(without.client.state == .connected && without.client.srtpProfile == nil)
    }

    @Test("exports the same keys on both sides, and others for each label and handshake")
    func export() throws {
        let pair = try SessionPair()
        pair.run()
        let keys = try #require(pair.client.exportKeyingMaterial(label: "EXTRACTOR-dtls_srtp", count: 56))
        #expect(keys.count == 56)
        #expect(pair.server.exportKeyingMaterial(label: "EXTRACTOR-dtls_srtp", count: 56) == keys)
        #expect(pair.client.exportKeyingMaterial(label: "other", count: 56) != keys)
        let other = try SessionPair(seed: 2)
        other.run()
        #expect(other.client.exportKeyingMaterial(label: "EXTRACTOR-dtls_srtp", count: 56) != keys)
    }

    @Test("refuses a peer without a common version")
    func version() throws {
        let pair = try SessionPair(client: { $0.maximumVersion = .v12 }, server: { $0.minimumVersion = .v13 })
        pair.run()
        #expect(pair.client.state == .failed(.alert(70)))
        guard case .failed(.handshake) = pair.server.state else { throw Unexpected() }
    }

    @Test("refuses what it cannot use")
    func configuration() throws {
        final class Foreign: LocalCertificate {
            let der: [UInt8] = []
            let expiry: Int64 = 0
        }
        let crypto = StandInCrypto(seed: 1)
        #expect(throws: CryptoError.self) {
            try crypto.makeDTLSSession(DTLSConfiguration(certificate: Foreign()))
        }
        var configuration = DTLSConfiguration(certificate: crypto.makeCertificate())
        configuration.minimumVersion = .v13
        configuration.maximumVersion = .v12
        #expect(throws: CryptoError.self) { try crypto.makeDTLSSession(configuration) }
    }

    @Test("is the same bytes for the same seed")
    func determinism() throws {
        func transcript(seed: UInt64) throws -> [[UInt8]] {
            let pair = try SessionPair(seed: seed)
            var all: [[UInt8]] = []
            for _ in 0..<4 {
                let there = pair.outgoing(pair.client)
                pair.give(there, to: pair.server)
                let back = pair.outgoing(pair.server)
                pair.give(back, to: pair.client)
                all += there + back
            }
            return try all + [#require(pair.seal([1, 2, 3], from: pair.client))]
        }
        #expect(try transcript(seed: 1) == transcript(seed: 1))
        #expect(try transcript(seed: 1) != transcript(seed: 2))
    }

    private struct Unexpected: Error {}
}
