import RTC
import RTCCrypto
import RTCTransport
import Testing

@Suite("The fingerprints that DTLS has verified", .timeLimit(.minutes(1)))
struct VerifiedFingerprintsTests {
    /// Two connections whose certificates are known, and whose descriptions pass through `rewrite` on their way.
    private struct Pair {
        let connections: [PeerConnection]
        let fingerprints: [[UInt8]]
        private let forwarding: [Task<Void, Never>]

        init(_ rewrite: @escaping @Sendable (String, Certificate) -> String = { sdp, _ in sdp }) throws {
            let certificates = try [Certificate.generate(), Certificate.generate()]
            fingerprints = try certificates.map { try #require($0.fingerprint()).bytes }
            let connections = try certificates.enumerated().map { index, certificate in
                try PeerConnection(
                    configuration: LoopbackPair.configuration {
                        $0.negotiation = .perfect(isPolite: index == 1)
                        $0.certificate = certificate
                    })
            }
            self.connections = connections
            forwarding = zip(connections, zip(connections.reversed(), certificates)).map { source, to in
                let (target, certificate) = to
                let signals = source.signals
                return Task { [weak target] in
                    for await signal in signals {
                        var signal = signal
                        if case .description(var description) = signal {
                            description.sdp = rewrite(description.sdp, certificate)
                            signal = .description(description)
                        }
                        try? await target?.receive(signal)
                    }
                }
            }
        }

        /// Until both are connected.
        func connect() async throws {
            let channel = try await connections[0].createDataChannel("data")
            try await channel.waitUntilOpen()
            while await connections[1].connectionState != .connected { try await Task.sleep(for: .milliseconds(5)) }
        }

        /// Both sides verified what the other one has.
        func expectTruth() async throws {
            for (index, connection) in connections.enumerated() {
                let verified = try #require(await connection.verifiedFingerprints)
                #expect(verified.local == fingerprints[index])
                #expect(verified.remote == fingerprints[1 - index])
            }
        }
    }

    @Test("They are those of both certificates while connected, and there are none before and after")
    func lifetime() async throws {
        let pair = try Pair()
        for connection in pair.connections { #expect(await connection.verifiedFingerprints == nil) }
        try await pair.connect()
        try await pair.expectTruth()
        for connection in pair.connections {
            await connection.close()
            #expect(await connection.verifiedFingerprints == nil)
        }
    }

    @Test("They are those of the handshake, whatever else the descriptions announce")
    func invented() async throws {
        let invented = "a=fingerprint:sha-256 " + [String](repeating: "5A", count: 32).joined(separator: ":") + "\r\n"
        let pair = try Pair { sdp, _ in
            sdp.split(separator: "a=fingerprint:").joined(separator: invented + "a=fingerprint:")
        }
        try await pair.connect()
        let heard = await pair.connections[1].remoteDescription?.sdp
        #expect(heard?.contains("5A:5A:5A:5A") == true)
        try await pair.expectTruth()
    }

    @Test("They are SHA-256 where the descriptions announce another hash function")
    func otherFunction() async throws {
        let pair = try Pair { sdp, certificate in
            guard let other = certificate.fingerprint(.sha512) else { return sdp }
            return sdp.split(separator: "\r\n")
                .map { $0.hasPrefix("a=fingerprint:") ? "a=fingerprint:\(other.attributeValue)" : String($0) }
                .joined(separator: "\r\n") + "\r\n"
        }
        try await pair.connect()
        let heard = await pair.connections[1].remoteDescription?.sdp
        #expect(heard?.contains("a=fingerprint:sha-512") == true)
        #expect(heard?.contains("a=fingerprint:sha-256") == false)
        try await pair.expectTruth()
    }

    @Test("Another certificate in a later offer is refused, and they stay as they were")
    func anotherCertificate() async throws {
        let pair = try Pair()
        try await pair.connect()
        let impostor = try #require(try Certificate.generate().fingerprint())
        let current = try #require(await pair.connections[0].localDescription)
        let sdp =
            current.sdp.split(separator: "\r\n")
            .map { $0.hasPrefix("a=fingerprint:") ? "a=fingerprint:\(impostor.attributeValue)" : String($0) }
            .joined(separator: "\r\n") + "\r\n"
        await #expect(throws: RTCError.self) {
            try await pair.connections[1].receive(.description(.init(type: .offer, sdp: sdp)))
        }
        try await pair.expectTruth()
        for connection in pair.connections { await connection.close() }
    }
}
