import RTCWire
import Testing

@testable import RTCMedia

/// Error correction from an outgoing stream to an incoming one.
@Suite("A stream with forward error correction")
struct ProtectedStreamTests {
    private static let types = RTPProtectionTypes(red: RTPPayloadType(118), ulpfec: RTPPayloadType(120))

    private var outgoing: OutgoingStreamFixture
    private var incoming: RTPIncomingStream
    private var packetizer = VideoPacketizer(format: .vp8)

    init() {
        var configuration = OutgoingStreamFixture.configuration()
        configuration.protection = Self.types
        configuration.rtxPayloadTypes.append((Self.types.red, RTPPayloadType(119)))
        outgoing = OutgoingStreamFixture(configuration)
        var receiving = RTPIncomingStream.Configuration(
            ssrc: OutgoingStreamFixture.ssrc, clockRate: 90_000, rtxSSRC: OutgoingStreamFixture.rtxSSRC,
            rtxPayloadTypes: configuration.rtxPayloadTypes, requestsRetransmissions: true)
        receiving.protection = Self.types
        receiving.extensionMap = OutgoingStreamFixture.map
        incoming = RTPIncomingStream(receiving)
    }

    /// Writes a frame of `count` packets, and its parity.
    private mutating func frame(_ count: Int, parities: Int, timestamp: UInt32) throws -> [RTPPacketReference] {
        var packetizer = try #require(packetizer)
        let description = RTPFrameDescription(
            payloadType: RTPPayloadType(96), timestamp: RTPTimestamp(timestamp), captureTime: .zero)
        let room = outgoing.stream.maximumWrappedPayloadSize(for: description)
        let data = (0..<(room - 10) * count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(timestamp)) }
        packetizer.begin(
            EncodedVideoFrame(format: .vp8, data: data, isKeyFrame: false, timestamp: RTPTimestamp(timestamp)),
            maximumPayloadSize: room)
        var references: [RTPPacketReference] = []
        while let reference = outgoing.stream.writeWrapped(description, from: &packetizer, at: .zero) {
            references.append(reference)
        }
        #expect(references.count == count)
        outgoing.stream.appendParity(
            VideoProtection.Block(packets: count, parities: parities), of: description, at: .zero, to: &references)
        #expect(references.count == count + parities)
        self.packetizer = packetizer
        return references
    }

    /// The payload of each arrival: media, wrapped, retransmitted or recovered.
    private mutating func receive(_ packet: [UInt8], at now: Instant = .zero) -> [Int64: [UInt8]] {
        var result: [Int64: [UInt8]] = [:]
        if let arrival = incoming.receive(packet, at: now), !arrival.isErrorCorrection {
            #expect(arrival.header.payloadType == RTPPayloadType(96))
            result[arrival.number] = Array(packet[arrival.payload])
        }
        while let arrival = incoming.recoverPacket() {
            #expect(arrival.isRecovered && arrival.header.payloadType == RTPPayloadType(96))
            incoming.withRecoveredPacket(arrival.number) { result[arrival.number] = Array($0[arrival.payload]) }
        }
        return result
    }

    @Test("A burst as long as there are parities comes back, and is not requested any more", arguments: 1...4)
    mutating func burst(length: Int) throws {
        _ = try frame(2, parities: 1, timestamp: 0).map { receive(try outgoing.sent($0).packet) }
        let references = try frame(12, parities: length, timestamp: 3_000)
        let packets = try references.enumerated().map { try outgoing.sent($1, transport: UInt16($0) + 77).packet }
        var arrived: [Int64: [UInt8]] = [:]
        for (index, packet) in packets.enumerated() where !(4..<4 + length).contains(index) {
            arrived.merge(receive(packet)) { $1 }
        }
        let sent = packets.prefix(12).map { packet in
            let header = packet.withUnsafeBytes { RTPHeader(RawSpan(_unsafeBytes: $0)) }
            return Array(packet[((header?.length ?? 0) + 1)...])
        }
        #expect(arrived.sorted { $0.key < $1.key }.map(\.value) == sent)
        #expect(incoming.missingCount == 0)
        #expect(incoming.statistics.packetsRecovered == UInt64(length))
        #expect(incoming.statistics.fecPacketsReceived == UInt64(length + 1))
        #expect(incoming.statistics.fecPacketsDiscarded == 1)
        #expect(incoming.statistics.fecBytesReceived > 0 && incoming.reception.packetsLost == Int64(length))
        let counts = outgoing.stream.statistics
        #expect(counts.fecPacketsSent == UInt64(length + 1) && counts.framesSent == 2)
    }

    @Test("The largest packets leave room for their parity")
    mutating func room() throws {
        let references = try frame(3, parities: 1, timestamp: 0)
        #expect(references.allSatisfy { $0.size <= outgoing.stream.configuration.maximumPacketSize })
    }

    @Test("Wrapped packets are sent again wrapped, parity is not")
    mutating func retransmission() throws {
        let references = try frame(3, parities: 1, timestamp: 0)
        let packets = try references.map { try outgoing.sent($0).packet }
        let numbers = packets.map { RTPSequenceNumber(UInt16($0[2]) << 8 | UInt16($0[3])) }
        _ = receive(packets[0])
        let again = outgoing.nack(Array(numbers[1...]), at: .zero + .milliseconds(10))
        #expect(again.count == 2)
        _ = receive(packets[2])
        let repaired = receive(try outgoing.sent(again[0]).packet)
        #expect(repaired.count == 1 && incoming.statistics.retransmittedPacketsReceived == 1)
        // The parity comes too late, and the retransmission does not count as what was protected.
        let recovered = receive(packets[3])
        #expect(recovered.isEmpty)
        #expect(incoming.statistics.fecPacketsDiscarded == 1)
    }

    @Test("Parity of withdrawn frames is withdrawn too")
    mutating func withdrawn() throws {
        let first = try frame(3, parities: 1, timestamp: 0)
        _ = try first.map { try outgoing.sent($0) }
        let second = try frame(3, parities: 1, timestamp: 3_000)
        let isWithdrawn = outgoing.stream.withdraw(at: .zero)
        #expect(isWithdrawn)
        #expect(second.allSatisfy { !outgoing.stream.keeps($0) } && first.allSatisfy { outgoing.stream.keeps($0) })
        // Once the media has left, only the parity is.
        let third = try frame(3, parities: 2, timestamp: 6_000)
        _ = try third.prefix(3).map { try outgoing.sent($0) }
        outgoing.stream.removeUnsentFrames()
        #expect(third.map { outgoing.stream.keeps($0) } == [true, true, true, false, false])
    }

    @Test("A packet of redundancy that contradicts itself is discarded")
    mutating func malformed() {
        let bad: [[UInt8]] = [[0x80 | 96], [118, 1, 2], [0x80 | 120, 0, 0, 50, 96, 1]]
        for (number, payload) in bad.enumerated() {
            let packet = PacketBytes.rtp(
                UInt16(number), ssrc: OutgoingStreamFixture.ssrc.rawValue, payloadType: 118, payload: payload)
            let arrival = incoming.receive(packet, at: .zero)
            #expect(arrival?.number == nil)
        }
        #expect(incoming.statistics.packetsDiscarded == 3)
        let empty = incoming.receive(
            PacketBytes.rtp(3, ssrc: OutgoingStreamFixture.ssrc.rawValue, payloadType: 118, payload: []), at: .zero)
        #expect(empty?.isErrorCorrection == true)
    }
}
