import RTCWire

@testable import RTCMedia

/// A video stream that sends, and what its tests need of it.
struct OutgoingStreamFixture {
    static let ssrc = SynchronizationSource(0x1111_1111)
    static let rtxSSRC = SynchronizationSource(0x2222_2222)
    static let map = RTPHeaderExtensionMap([
        (1, .mediaIdentification), (2, .streamIdentifier), (3, .repairedStreamIdentifier), (4, .absoluteSendTime),
        (5, .transportSequenceNumber), (6, .videoOrientation),
    ])

    static func configuration(
        rtx: Bool = true, rid: String? = nil, history: RTPHistoryLimits = .video
    ) -> RTPOutgoingStream.Configuration {
        RTPOutgoingStream.Configuration(
            ssrc: ssrc, clockRate: 90_000, rtxSSRC: rtx ? rtxSSRC : nil,
            rtxPayloadTypes: [(RTPPayloadType(96), RTPPayloadType(97)), (RTPPayloadType(98), RTPPayloadType(99))],
            extensionMap: map, mid: RTPStreamName("1"), rid: rid.flatMap(RTPStreamName.init), history: history)
    }

    var stream: RTPOutgoingStream

    init(_ configuration: RTPOutgoingStream.Configuration = configuration(), seed: UInt64 = 1) {
        stream = RTPOutgoingStream(configuration, random: SeededRandom(seed: seed))
    }

    /// Writes one packet of a video frame; the last one has the marker.
    mutating func write(
        _ payload: [UInt8] = [1, 2, 3], payloadType: UInt8 = 96, timestamp: UInt32 = 0, marker: Bool = false,
        isHigherLayer: Bool = false, at now: Instant = .zero
    ) -> RTPPacketReference? {
        let frame = RTPFrameDescription(
            payloadType: RTPPayloadType(payloadType), timestamp: RTPTimestamp(timestamp), captureTime: now,
            isHigherLayer: isHigherLayer)
        return stream.write(frame, at: now) { memory in
            guard payload.count <= memory.count else { return nil }
            memory.copyBytes(from: payload)
            return (payload.count, marker)
        }
    }

    /// What leaves for a reference.
    mutating func send(
        _ reference: RTPPacketReference?, transport: UInt16 = 0, at now: Instant = .zero
    ) -> (packet: [UInt8], sent: SentRTPPacket)? {
        guard let reference else { return nil }
        var sent: SentRTPPacket?
        let packet = [UInt8](unsafeUninitializedCapacity: 1_500) { buffer, count in
            sent = stream.send(
                reference,
                into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<reference.size]),
                transportSequenceNumber: TransportSequenceNumber(transport), at: now)
            count = sent?.size ?? 0
        }
        return sent.map { (packet, $0) }
    }

    /// What leaves for a reference, which must.
    mutating func sent(
        _ reference: RTPPacketReference?, transport: UInt16 = 0, at now: Instant = .zero
    ) throws -> (packet: [UInt8], sent: SentRTPPacket) {
        guard let result = send(reference, transport: transport, at: now) else { throw NothingThere() }
        return result
    }

    /// What leaves for a reference, taken apart.
    mutating func parsed(
        _ reference: RTPPacketReference?, transport: UInt16 = 0, at now: Instant = .zero
    ) throws -> ParsedRTP {
        guard let parsed = ParsedRTP(try sent(reference, transport: transport, at: now).packet) else {
            throw NothingThere()
        }
        return parsed
    }

    /// What the stream sends again when these numbers are asked for.
    mutating func nack(
        _ numbers: [RTPSequenceNumber], at now: Instant, queue: TimeDelta = .zero
    ) -> [RTPPacketReference] {
        let bytes = PacketBytes.write(room: 65_000) { writer in
            var nack = GenericNACKWriter(from: SynchronizationSource(9), media: Self.ssrc, to: &writer)
            for number in numbers { _ = nack.append(number, to: &writer) }
            nack.finish(to: &writer)
        }
        var references: [RTPPacketReference] = []
        bytes.withUnsafeBytes { memory in
            var reader = RTCPReader(RawSpan(_unsafeBytes: memory))
            if let packet = reader.next(), let nack = GenericNACK(packet) {
                stream.handle(nack, queue: queue, at: now, references: &references)
            }
        }
        return references
    }
}

/// A packet taken apart.
struct ParsedRTP {
    var header: RTPHeader
    var extensions: RTPHeaderExtensions
    var payload: [UInt8]

    init?(_ packet: [UInt8], map: RTPHeaderExtensionMap = OutgoingStreamFixture.map) {
        let parsed = packet.withUnsafeBytes { memory -> (RTPHeader, RTPHeaderExtensions, [UInt8])? in
            let span = RawSpan(_unsafeBytes: memory)
            guard let header = RTPHeader(span), let payload = header.payloadRange(in: span) else { return nil }
            return (header, RTPHeaderExtensions(span, header: header, map: map), Array(memory[payload]))
        }
        guard let (header, extensions, payload) = parsed else { return nil }
        self.header = header
        self.extensions = extensions
        self.payload = payload
    }
}
