import RTCCrypto
import RTCTransport
import RTCWire
import Testing

@Suite("The end of a DTLS association, and what comes after it")
struct DTLSClosingTests {
    static let versions: [DTLSVersion] = [.v12, .v13]

    func connected(_ version: DTLSVersion) throws -> DatagramPair {
        let pair = try DatagramPair(versions: (version...version, version...version))
        #expect(pair.connectAndRun())
        pair.run(until: pair.now + .seconds(2))
        return pair
    }

    @Test("close_notify closes the other side", arguments: versions)
    func closeNotify(_ version: DTLSVersion) throws {
        let pair = try connected(version)
        #expect(pair.send([9], from: .client))
        pair.client.transport.close(at: pair.now)
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.client.states == [.connecting, .connected, .closed])
        #expect(pair.server.states == [.connecting, .connected, .closed])
        #expect(pair.server.received == [[9]])
        #expect(pair.send([1], from: .server) == false)
        #expect(pair.client.transport.nextDeadline == nil && pair.server.transport.nextDeadline == nil)
    }

    @Test("A lost close_notify is said again when the peer goes on sending", arguments: versions)
    func closeNotifyLost(_ version: DTLSVersion) throws {
        let pair = try connected(version)
        pair.impairment.loss = 100
        pair.client.transport.close(at: pair.now)
        pair.run(until: pair.now + .seconds(1))
        pair.impairment.loss = 0
        #expect(pair.server.transport.state == .connected)
        #expect(pair.send([1], from: .server))
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.server.transport.state == .closed)
    }

    @Test("Closing before and during the handshake")
    func closeEarly() throws {
        let pair = try DatagramPair()
        pair.server.transport.close(at: pair.now)
        pair.connect()
        pair.collect(.client)
        pair.client.transport.close(at: pair.now)
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.client.states == [.connecting, .closed])
        #expect(pair.server.states == [.closed])
        #expect(pair.client.transport.nextDeadline == nil)
    }

    @Test("Replayed records are dropped and counted", arguments: versions)
    func replay(_ version: DTLSVersion) throws {
        let pair = try connected(version)
        #expect(pair.send([1, 2, 3], from: .client))
        pair.run(until: pair.now + .seconds(1))
        let record = pair.lastDelivered[DatagramPair.Side.server.rawValue]
        let before = pair.server.transport.droppedRecords
        for _ in 0..<3 { pair.deliver(record, to: .server) }
        #expect(pair.server.received == [[1, 2, 3]])
        #expect(pair.server.transport.droppedRecords == before + 3)
        #expect(pair.server.transport.state == .connected)
    }

    @Test("Garbled and forged records are dropped and counted, in every state", arguments: versions)
    func garbage(_ version: DTLSVersion) throws {
        let pair = try connected(version)
        #expect(pair.send([UInt8](repeating: 5, count: 300), from: .client))
        pair.run(until: pair.now + .milliseconds(10))
        #expect(pair.send([6], from: .client))
        pair.run(until: pair.now + .seconds(1))
        let record = pair.lastDelivered[DatagramPair.Side.server.rawValue]
        let random = SeededRandom(seed: 7)
        let before = pair.server.transport.droppedRecords
        for round in 0..<2_000 {
            var forged = round % 2 == 0 ? record : random.bytes(1 + Int(random.next(below: 80)))
            let position = Int(random.next(below: UInt64(forged.count)))
            forged[position] ^= UInt8(truncatingIfNeeded: 1 + random.next(below: 255))
            if round % 3 == 0 { forged.removeLast(Int(random.next(below: UInt64(forged.count)))) }
            // Plain alerts of epoch 0 are forgeries too, once there are keys.
            if round % 7 == 0 { forged = [21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, UInt8(round & 0xff), 0, 2, 2, 40] }
            if forged.isEmpty { continue }
            pair.deliver(forged, to: .server)
        }
        #expect(pair.server.received.count == 2)
        #expect(pair.server.transport.state == .connected)
        #expect(pair.server.transport.droppedRecords > before + 1_000)
        #expect(pair.send([8], from: .client))
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.server.received.last == [8])
    }

    @Test("Garbage before the handshake changes nothing", arguments: 1...20)
    func garbageFirst(_ seed: Int) throws {
        let pair = try DatagramPair(seed: UInt64(seed))
        pair.connect()
        let random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<50 {
            var forged = random.bytes(1 + Int(random.next(below: 200)))
            // Neither a handshake message nor an alert, which would be believed.
            if (20...22).contains(forged[0]) { forged[0] = 0x17 }
            // Every third has a record's header, of a type that nobody knows.
            if forged.count > 13, forged[1] % 3 == 0 {
                forged.replaceSubrange(..<13, with: [24, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1])
            }
            pair.deliver(forged, to: .server)
        }
        #expect(pair.run { $0.isConnected })
        #expect(pair.server.received.isEmpty)
        #expect(pair.server.transport.droppedRecords > 0)
    }

    @Test("A datagram with several records yields all of them", arguments: versions)
    func severalRecords(_ version: DTLSVersion) throws {
        let pair = try connected(version)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 20_000, alignment: 16)
        defer { memory.deallocate() }
        var batch = TransmitBatch(memory)
        for byte: UInt8 in 1...3 {
            let message = [UInt8](repeating: byte, count: 50)
            let isSealed = message.withUnsafeBytes { pair.client.transport.seal($0, into: &batch) }
            #expect(isSealed)
        }
        pair.deliver(Array(memory[..<batch.byteCount]), to: .server)
        #expect(pair.server.received == (1...3).map { [UInt8](repeating: UInt8($0), count: 50) })
    }

    @Test("A batch holds sealed datagrams of one size, and refuses one without room", arguments: versions)
    func sealing(_ version: DTLSVersion) throws {
        let pair = try connected(version)
        let overhead = pair.client.transport.sealOverhead
        #expect(overhead == (version == .v13 ? 22 : 37))
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 3 * (1_000 + overhead) + 100, alignment: 16)
        defer { memory.deallocate() }
        var batch = TransmitBatch(memory)
        let message = [UInt8](repeating: 3, count: 1_000)
        var count = 0
        while message.withUnsafeBytes({ pair.client.transport.seal($0, into: &batch) }) { count += 1 }
        #expect(count == 3)
        #expect(batch.count == 3)
        #expect(batch.segmentSize == 1_000 + overhead)
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(pair.client.transport.seal(empty, into: &batch) == false)
    }

    @Test("The largest record passes; one byte more is refused", arguments: versions)
    func largest(_ version: DTLSVersion) throws {
        let pair = try connected(version)
        #expect(pair.send([UInt8](repeating: 1, count: 16_384), from: .client))
        #expect(pair.send([UInt8](repeating: 1, count: 16_385), from: .client) == false)
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.server.received.map(\.count) == [16_384])
    }
}
