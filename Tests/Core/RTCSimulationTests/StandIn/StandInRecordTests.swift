import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("The stand-in's records")
struct StandInRecordTests {
    private func connected(_ version: DTLSVersion = .v13) throws -> SessionPair {
        let pair = try SessionPair(client: { $0.maximumVersion = version })
        pair.run()
        #expect(pair.client.state == .connected && pair.server.state == .connected)
        return pair
    }

    @Test("carry data both ways, with the overhead of AES-GCM", arguments: [DTLSVersion.v12, .v13])
    func data(version: DTLSVersion) throws {
        let pair = try connected(version)
        let overhead = version == .v13 ? 22 : 37
        #expect(pair.client.sealOverhead == overhead)
        for size in [0, 1, 7, 8, 9, 1_150, 16_384] {
            let plaintext = SeededRandom(seed: UInt64(size)).bytes(size)
            let there = try #require(pair.seal(plaintext, from: pair.client))
            #expect(there.count == size + overhead)
            #expect((20...63).contains(there[0]))
            pair.give([there], to: pair.server)
            #expect(pair.read(pair.server) == [plaintext])
            let back = try #require(pair.seal(plaintext, from: pair.server))
            #expect(size < 16 || back.dropFirst(13).prefix(16) != plaintext.prefix(16))
            pair.give([back], to: pair.client)
            #expect(pair.read(pair.client) == [plaintext])
        }
        #expect(pair.seal([UInt8](repeating: 0, count: 16_385), from: pair.client) == nil)
    }

    @Test("are read in the order in which they came, and several of one datagram")
    func several() throws {
        let pair = try connected()
        let records = try (0..<5 as Range<UInt8>).map { try #require(pair.seal([$0], from: pair.client)) }
        pair.give([records[1], records[0], records[2] + records[3] + records[4]], to: pair.server)
        #expect(pair.read(pair.server) == [[1], [0], [2], [3], [4]])
    }

    @Test("are dropped and counted when one bit differs", arguments: [DTLSVersion.v12, .v13])
    func corruption(version: DTLSVersion) throws {
        let pair = try connected(version)
        let record = try #require(pair.seal([1, 2, 3, 4], from: pair.client))
        for bit in 0..<record.count * 8 {
            var corrupted = record
            corrupted[bit / 8] ^= 1 << UInt8(bit % 8)
            pair.give([corrupted], to: pair.server)
        }
        #expect(pair.read(pair.server).isEmpty)
        #expect(pair.server.droppedRecords >= record.count * 8)
        pair.give([record], to: pair.server)
        #expect(pair.read(pair.server) == [[1, 2, 3, 4]])
    }

    @Test("are dropped when they come twice, or too late to tell", arguments: [DTLSVersion.v12, .v13])
    func replay(version: DTLSVersion) throws {
        let pair = try connected(version)
        let records = try (0..<100 as Range<UInt8>).map { try #require(pair.seal([$0], from: pair.client)) }
        pair.give(
            [records[5], records[5], records[4], records[99], records[99], records[40], records[35]], to: pair.server)
        #expect(pair.read(pair.server) == [[5], [4], [99], [40]])
        #expect(pair.server.droppedRecords == 3)
    }

    @Test("go on after the 16-bit sequence number has wrapped")
    func wrap() throws {
        let pair = try connected()
        for number in 0..<140_000 {
            let record = try #require(pair.seal([UInt8(truncatingIfNeeded: number)], from: pair.client))
            // Long gaps too, as an outage makes them.
            guard !(20_000..<40_000).contains(number % 60_000) else { continue }
            pair.give([record], to: pair.server)
            if pair.read(pair.server) != [[UInt8(truncatingIfNeeded: number)]] {
                Issue.record("record \(number) is lost")
                return
            }
        }
        #expect(pair.server.droppedRecords == 0)
    }

    @Test("fit into a batch, or are refused with nothing done")
    func batch() throws {
        let pair = try connected()
        var memory = [UInt8](repeating: 0, count: 300)
        memory.withUnsafeMutableBytes { memory in
            var batch = TransmitBatch(memory)
            let first = [UInt8](repeating: 1, count: 100).withUnsafeBytes { pair.client.seal($0, into: &batch) }
            let tooLong = [UInt8](repeating: 1, count: 101).withUnsafeBytes { pair.client.seal($0, into: &batch) }
            let second = [UInt8](repeating: 1, count: 90).withUnsafeBytes { pair.client.seal($0, into: &batch) }
            let third = [UInt8](repeating: 1, count: 10).withUnsafeBytes { pair.client.seal($0, into: &batch) }
            let (count, bytes) = (batch.count, batch.byteCount)
            #expect(first && !tooLong && second && !third)
            #expect(count == 2 && bytes == 122 + 112)
        }
    }

    @Test("of close_notify end both sides, with what was sent before still to be read")
    func closing() throws {
        let pair = try connected()
        let data = try #require(pair.seal([9], from: pair.client))
        pair.client.close(at: pair.now)
        #expect(pair.client.state == .closed)
        pair.give([data] + pair.outgoing(pair.client), to: pair.server)
        #expect(pair.server.state == .closed)
        #expect(pair.read(pair.server) == [[9]])
        #expect(pair.seal([1], from: pair.client) == nil && pair.seal([1], from: pair.server) == nil)
        #expect(pair.client.nextDeadline == nil && pair.server.nextDeadline == nil)
        pair.client.close(at: pair.now)
        #expect(pair.outgoing(pair.client).isEmpty && pair.outgoing(pair.server).isEmpty)
    }

    @Test("of close_notify end a handshake too, and an idle session closes in silence")
    func closingEarly() throws {
        let pair = try SessionPair()
        pair.give(pair.outgoing(pair.client), to: pair.server)
        pair.server.close(at: pair.now)
        #expect(pair.server.state == .closed && pair.server.nextDeadline == nil)
        pair.give(pair.outgoing(pair.server), to: pair.client)
        #expect(pair.client.state == .closed)
        let idle = try SessionPair(starts: false)
        idle.client.close(at: .zero)
        #expect(idle.client.state == .closed && idle.outgoing(idle.client).isEmpty)
    }

    @Test("in the clear change nothing once connected")
    func forgedAlert() throws {
        let pair = try connected()
        let other = try SessionPair()
        _ = other.outgoing(other.client)
        other.client.close(at: .zero)
        pair.give(other.outgoing(other.client), to: pair.server)
        #expect(pair.server.state == .connected && pair.server.droppedRecords == 1)
    }

    @Test("may be anything at any time", arguments: 0..<4 as Range<UInt64>)
    func garbage(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        let pair = try SessionPair(seed: seed)
        for round in 0..<4_000 {
            var bytes = random.bytes(Int(random.next(below: 80)))
            if !bytes.isEmpty {
                bytes[0] = [20, 21, 22, 23, 0x2F, 0x2C][Int(random.next(below: 6))]
                if bytes.count > 13, random.next(below: 2) == 0 {
                    bytes.replaceSubrange(1..<5, with: [0xFE, 0xFD, 0, UInt8(random.next(below: 2))])
                    bytes.replaceSubrange(11..<13, with: [0, UInt8(bytes.count - 13)])
                }
            }
            pair.give([bytes], to: pair.client)
            pair.give([bytes], to: pair.server)
            if round == 1_000 { pair.run() }
        }
        #expect(pair.client.state == .connected && pair.server.state == .connected)
        #expect(pair.read(pair.server).isEmpty)
        #expect(pair.client.droppedRecords > 3_000)
    }

    @Test("that nobody reads are bounded")
    func unread() throws {
        let pair = try connected()
        let plaintext = [UInt8](repeating: 1, count: 10_000)
        for _ in 0..<200 { pair.give([try #require(pair.seal(plaintext, from: pair.client))], to: pair.server) }
        #expect((50...110).contains(pair.read(pair.server).count))
        #expect(pair.server.droppedRecords >= 90)
        let last = try #require(pair.seal([1], from: pair.client))
        pair.give([last], to: pair.server)
        #expect(pair.read(pair.server) == [[1]])
    }
}

@Suite("The stand-in's digests")
struct StandInDigestTests {
    @Test("have the lengths of the real ones")
    func lengths() {
        let crypto = StandInCrypto(seed: 1)
        let lengths = DigestAlgorithm.allCases.map { digest(crypto, $0, [1, 2, 3])?.count }
        #expect(lengths == [20, 28, 32, 48, 64, 16])
        #expect(hmac(crypto, .sha1, [1], [2]).count == 20 && hmac(crypto, .sha256, [1], [2]).count == 32)
    }

    @Test("agree between providers and differ between inputs")
    func distinct() {
        let (one, other) = (StandInCrypto(seed: 1), StandInCrypto(seed: 2))
        let random = SeededRandom(seed: 1)
        var seen: Set<[UInt8]> = []
        for size in 0..<500 {
            let message = random.bytes(size)
            let hash = digest(one, .sha256, message)
            #expect(hash == digest(other, .sha256, message))
            seen.insert(hash ?? [])
            seen.insert(hmac(one, .sha256, [1], message))
            seen.insert(hmac(one, .sha256, [2], message))
        }
        #expect(seen.count == 1_500)
        // A zero more is another message.
        #expect(digest(one, .sha256, [0]) != digest(one, .sha256, [0, 0]))
    }

    private func digest(_ crypto: StandInCrypto, _ algorithm: DigestAlgorithm, _ message: [UInt8]) -> [UInt8]? {
        message.withUnsafeBytes { crypto.digest(algorithm, of: RawSpan(_unsafeBytes: $0)) }
    }

    private func hmac(_ crypto: StandInCrypto, _ algorithm: HMACAlgorithm, _ key: [UInt8], _ message: [UInt8])
        -> [UInt8]
    {
        message.withUnsafeBytes { crypto.hmac(algorithm, key: key, message: RawSpan(_unsafeBytes: $0)) }
    }
}
