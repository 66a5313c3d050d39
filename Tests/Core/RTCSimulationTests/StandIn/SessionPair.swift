import RTCSimulation
import RTCTransport
import RTCWire

/// Two stand-in sessions with a wire between them that a test holds in its hands.
final class SessionPair {
    let clientCertificate: StandInCertificate
    let serverCertificate: StandInCertificate
    let client: any DTLSSession
    let server: any DTLSSession
    private(set) var now = Instant.zero

    init(
        seed: UInt64 = 1, helloSize: Int = 220, verifies: Bool = true, starts: Bool = true,
        client configureClient: (inout DTLSConfiguration) -> Void = { _ in },
        server configureServer: (inout DTLSConfiguration) -> Void = { _ in }
    ) throws {
        let clientCrypto = StandInCrypto(seed: seed)
        let serverCrypto = StandInCrypto(seed: seed &+ 1_000)
        clientCrypto.clientHelloSize = helloSize
        clientCertificate = clientCrypto.makeCertificate()
        serverCertificate = serverCrypto.makeCertificate()
        var clientConfiguration = DTLSConfiguration(certificate: clientCertificate)
        configureClient(&clientConfiguration)
        var serverConfiguration = DTLSConfiguration(certificate: serverCertificate)
        configureServer(&serverConfiguration)
        client = try clientCrypto.makeDTLSSession(clientConfiguration)
        server = try serverCrypto.makeDTLSSession(serverConfiguration)
        if verifies {
            client.verifyPeer { [expected = serverCertificate.der] in $0 == expected }
            server.verifyPeer { [expected = clientCertificate.der] in $0 == expected }
        }
        if starts {
            client.start(as: .client, at: now)
            server.start(as: .server, at: now)
        }
    }

    func wait(_ time: TimeDelta) { now += time }

    /// The datagrams that `session` has to send.
    func outgoing(_ session: any DTLSSession) -> [[UInt8]] {
        var memory = [UInt8](repeating: 0, count: 65_536)
        return memory.withUnsafeMutableBytes { memory in
            var datagrams: [[UInt8]] = []
            var batch = TransmitBatch(memory)
            while session.pollTransmit(into: &batch) {
                datagrams += split(batch)
                batch.removeAll()
            }
            return datagrams
        }
    }

    func give(_ datagrams: [[UInt8]], to session: any DTLSSession) {
        for datagram in datagrams {
            datagram.withUnsafeBytes { session.receive(RawSpan(_unsafeBytes: $0), at: now) }
        }
    }

    /// Carries flights back and forth until both are silent.
    func run() {
        for _ in 0..<10 {
            give(outgoing(client), to: server)
            give(outgoing(server), to: client)
        }
    }

    /// One datagram with `plaintext`, or `nil` if the session refuses.
    func seal(_ plaintext: [UInt8], from session: any DTLSSession) -> [UInt8]? {
        var memory = [UInt8](repeating: 0, count: 65_536)
        return memory.withUnsafeMutableBytes { memory in
            var batch = TransmitBatch(memory)
            let isSealed = plaintext.withUnsafeBytes { session.seal($0, into: &batch) }
            return isSealed ? split(batch).first : nil
        }
    }

    func read(_ session: any DTLSSession) -> [[UInt8]] {
        var memory = [UInt8](repeating: 0, count: 16_384 + 256)
        return memory.withUnsafeMutableBytes { memory in
            var records: [[UInt8]] = []
            while let count = session.readApplicationData(into: memory) { records.append(Array(memory[0..<count])) }
            return records
        }
    }

    private func split(_ batch: borrowing TransmitBatch) -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        var offset = 0
        while offset < batch.byteCount {
            let end = min(offset + batch.segmentSize, batch.byteCount)
            datagrams.append(Array(batch.memory[offset..<end]))
            offset = end
        }
        return datagrams
    }
}
