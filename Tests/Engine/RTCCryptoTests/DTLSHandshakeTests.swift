import RTCCrypto
import RTCTransport
import RTCWire
import Testing

@Suite("DTLS handshakes over a network that loses, reorders and duplicates")
struct DTLSHandshakeTests {
    typealias Versions = (client: ClosedRange<DTLSVersion>, server: ClosedRange<DTLSVersion>)

    /// Every combination of what the two sides may speak, and what must come of it.
    static let combinations: [(Versions, DTLSVersion)] = [
        ((.v12 ... .v12, .v12 ... .v12), .v12),
        ((.v12 ... .v13, .v12 ... .v12), .v12),
        ((.v12 ... .v12, .v12 ... .v13), .v12),
        ((.v12 ... .v13, .v12 ... .v13), .v13),
    ]

    @Test("A clean network: the highest common version, in both roles", arguments: combinations.indices)
    func clean(_ index: Int) throws {
        let (versions, expected) = Self.combinations[index]
        let pair = try DatagramPair(versions: versions)
        #expect(pair.connectAndRun())
        #expect(pair.client.transport.parameters?.version == expected)
        #expect(pair.server.transport.parameters?.version == expected)
        #expect(pair.client.states == [.connecting, .connected])
        #expect(pair.server.states == [.connecting, .connected])
        #expect(pair.client.transport.remoteCertificateDER == pair.server.certificate.der)
        #expect(pair.server.transport.remoteCertificateDER == pair.client.certificate.der)

        #expect(pair.send([1, 2, 3], from: .client))
        #expect(pair.send([4, 5], from: .server))
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.server.received == [[1, 2, 3]])
        #expect(pair.client.received == [[4, 5]])
    }

    @Test("DTLS 1.3 takes one round trip until the client may send")
    func roundTrips() throws {
        let pair = try DatagramPair()
        pair.connect()
        #expect(pair.run { $0.client.transport.state == .connected })
        #expect(pair.now == .zero + .milliseconds(40))
        #expect(pair.run { $0.server.transport.state == .connected })
        #expect(pair.now == .zero + .milliseconds(60))
    }

    @Test("DTLS 1.2 takes two")
    func roundTrips12() throws {
        let pair = try DatagramPair(versions: (.v12 ... .v12, .v12 ... .v12))
        pair.connect()
        #expect(pair.run { $0.isConnected })
        #expect(pair.now == .zero + .milliseconds(80))
    }

    @Test("30 % loss, reordering and duplication: it connects, and every byte that passes is right", arguments: 1...25)
    func impaired(_ seed: Int) throws {
        for (versions, expected) in Self.combinations {
            let impairment = Impairment(loss: 30, duplication: 20, reordering: 50)
            let pair = try DatagramPair(versions: versions, impairment: impairment, seed: UInt64(seed))
            #expect(pair.connectAndRun(), "seed \(seed)")
            #expect(pair.client.transport.parameters?.version == expected)
            let keys = pair.client.transport.srtpKeyingMaterial
            let mirror = pair.server.transport.srtpKeyingMaterial
            #expect(keys.flatMap { keys in mirror.map { keys.mirrors($0) } } == true)

            let messages = (0..<40).map { [UInt8](repeating: UInt8($0), count: 100 + $0) }
            for message in messages {
                #expect(pair.send(message, from: .client))
                #expect(pair.send(message, from: .server))
            }
            pair.run(until: pair.now + .seconds(2))
            for side in [pair.client, pair.server] {
                #expect(side.received.count > 10)
                #expect(Set(side.received).isSubset(of: Set(messages)))
                #expect(Set(side.received).count == side.received.count, "a record was delivered twice")
                #expect(side.transport.state == .connected)
            }
        }
    }

    @Test("The first flight is repeated by the virtual clock, with the time doubled")
    func retransmission() throws {
        let pair = try DatagramPair(impairment: Impairment(loss: 100))
        pair.client.transport.setRemote(
            fingerprints: pair.server.transport.localFingerprints, role: .client, at: pair.now)
        pair.client.transport.start(at: pair.now, roundTripTime: .milliseconds(50))
        pair.collect(.client)
        var times: [Int64] = []
        for _ in 0..<5 {
            let deadline = try #require(pair.client.transport.nextDeadline)
            times.append((deadline - .zero).milliseconds)
            pair.now = deadline
            pair.client.transport.handleTimeout(at: pair.now)
            pair.collect(.client)
        }
        #expect(times == [100, 300, 700, 1_500, 3_100])
        #expect(pair.client.sentSizes.count == 6)
    }

    @Test("Nobody answers: failed(timedOut) when the time for the handshake is over")
    func timeout() throws {
        let pair = try DatagramPair(impairment: Impairment(loss: 100))
        pair.connect()
        #expect(pair.run { $0.client.transport.state == .failed(.timedOut) })
        #expect(pair.now == .zero + .seconds(30))
        #expect(pair.client.transport.nextDeadline == nil)
    }

    @Test("The ClientHello fits one datagram")
    func helloSize() throws {
        let pair = try DatagramPair()
        pair.connect()
        pair.collect(.client)
        #expect(pair.client.sentSizes.count == 1)
        #expect(pair.client.sentSizes.allSatisfy { $0 <= 400 })
    }

    @Test("A post-quantum hello comes in two datagrams; either order will do", arguments: [false, true])
    func fragments(isReversed: Bool) throws {
        let pair = try DatagramPair(postQuantumFirst: true)
        pair.connect()
        let hello = Self.poll(&pair.client.transport, at: pair.now)
        #expect(hello.count == 2)
        #expect(hello.allSatisfy { $0.count <= 1_200 })
        #expect(hello.reduce(0) { $0 + $1.count } > 1_300)
        for datagram in isReversed ? hello.reversed() : hello { pair.deliver(datagram, to: .server) }
        #expect(pair.run { $0.isConnected })
        // No fragment was lost, so none was waited for.
        #expect(pair.now == .zero + .milliseconds(40))
        #expect(pair.client.transport.parameters?.version == .v13)
    }

    @Test("A post-quantum hello over the impaired network", arguments: 1...10)
    func fragmentsImpaired(_ seed: Int) throws {
        let impairment = Impairment(loss: 30, duplication: 20, reordering: 60)
        let pair = try DatagramPair(impairment: impairment, seed: UInt64(seed), postQuantumFirst: true)
        #expect(pair.connectAndRun())
    }

    @Test("A hello that only knows DTLS 1.2 fails against a side that wants 1.3, on both sides")
    func noCommonVersion() throws {
        let pair = try DatagramPair(versions: (.v12 ... .v12, .v13 ... .v13))
        pair.connect()
        #expect(pair.run { $0.client.transport.state == .failed(.alert(70)) })
        guard case .failed(.handshake) = pair.server.transport.state else {
            Issue.record("the server is \(pair.server.transport.state)")
            return
        }
    }

    static func poll(_ transport: inout DTLSTransport, at now: Instant) -> [[UInt8]] {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_000, alignment: 16)
        defer { memory.deallocate() }
        var datagrams: [[UInt8]] = []
        while true {
            var batch = TransmitBatch(memory)
            guard transport.pollTransmit(into: &batch, at: now) else { return datagrams }
            for start in stride(from: 0, to: batch.byteCount, by: max(1, batch.segmentSize)) {
                datagrams.append(Array(memory[start..<min(start + batch.segmentSize, batch.byteCount)]))
            }
        }
    }
}
