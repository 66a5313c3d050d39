import RTCCrypto
import RTCTransport
import RTCWire
import Testing

@Suite("DTLS 1.3 replaces its keys before they wear out (RFC 9147, section 4.5.3)")
struct DTLSKeyUpdateTests {
    @Test("A clean network: every record arrives, under key after key")
    func clean() throws {
        let pair = try DatagramPair(keyUpdateInterval: 50)
        #expect(pair.connectAndRun())
        var firstBytes: Set<UInt8> = []
        for index in 0..<500 {
            #expect(pair.send([UInt8(index & 0xff), UInt8(index >> 8)], from: .client))
            #expect(pair.send([UInt8(index & 0xff), UInt8(index >> 8)], from: .server))
            pair.run(until: pair.now + .milliseconds(20))
            firstBytes.insert(pair.lastDelivered[DatagramPair.Side.server.rawValue][0])
        }
        pair.run(until: pair.now + .seconds(1))
        let sent = (0..<500).map { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        #expect(pair.server.received == sent)
        #expect(pair.client.received == sent)
        // The two lowest bits of the first byte are those of the epoch: all four were seen.
        #expect(firstBytes == [0x2c, 0x2d, 0x2e, 0x2f])
    }

    @Test("A lost update is repeated, and nothing is read twice or wrongly", arguments: 1...10)
    func impaired(_ seed: Int) throws {
        let impairment = Impairment(loss: 30, duplication: 10, reordering: 40)
        let pair = try DatagramPair(impairment: impairment, seed: UInt64(seed), keyUpdateInterval: 40)
        #expect(pair.connectAndRun())
        for index in 0..<400 {
            #expect(pair.send([UInt8(index & 0xff), UInt8(index >> 8)], from: .client))
            pair.run(until: pair.now + .milliseconds(20))
        }
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.isConnected)
        #expect(Set(pair.server.received).count == pair.server.received.count)
        #expect(pair.server.received.count > 200)
    }

    @Test("DTLS 1.2 has no such thing, and goes on")
    func legacy() throws {
        let pair = try DatagramPair(versions: (.v12 ... .v12, .v12 ... .v12), keyUpdateInterval: 10)
        #expect(pair.connectAndRun())
        for index in 0..<100 { #expect(pair.send([UInt8(index)], from: .client)) }
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.server.received.count == 100)
    }
}
