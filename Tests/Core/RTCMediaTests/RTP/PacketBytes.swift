import RTCMedia
import RTCWire

/// The bytes of packets, as the tests of RTP and RTCP make and read them.
enum PacketBytes {
    /// What `body` writes.
    static func write(room: Int = 1_500, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer))
            body(&writer)
            count = writer.count
        }
    }

    /// Hands every RTCP packet of `bytes` to `body`, and counts them.
    @discardableResult
    static func forEachRTCP(_ bytes: [UInt8], _ body: (borrowing RTCPPacket) -> Void = { _ in }) -> Int {
        bytes.withUnsafeBytes { memory in
            var reader = RTCPReader(RawSpan(_unsafeBytes: memory))
            var count = 0
            while let packet = reader.next() {
                count += 1
                body(packet)
            }
            return count
        }
    }

    /// An RTP packet without extension.
    static func rtp(
        _ number: UInt16, timestamp: UInt32 = 0, ssrc: UInt32 = 1, payloadType: UInt8 = 96, marker: Bool = false,
        payload: [UInt8] = [1, 2, 3]
    ) -> [UInt8] {
        write {
            RTPHeader(
                payloadType: RTPPayloadType(payloadType), sequenceNumber: RTPSequenceNumber(number),
                timestamp: RTPTimestamp(timestamp), ssrc: SynchronizationSource(ssrc), marker: marker
            ).write(to: &$0, hasExtension: false)
            $0.write(payload)
        }
    }
}

extension RTPIncomingStream {
    /// Takes a whole packet in.
    mutating func receive(_ packet: [UInt8], at now: Instant) -> RTPArrival? {
        packet.withUnsafeBytes { memory in
            let span = RawSpan(_unsafeBytes: memory)
            guard let header = RTPHeader(span) else { return nil }
            return receive(span, header: header, at: now)
        }
    }

    /// Takes a whole packet in, which must be of use.
    mutating func arrival(_ packet: [UInt8], at now: Instant) throws -> RTPArrival {
        guard let arrival = receive(packet, at: now) else { throw NothingThere() }
        return arrival
    }

    /// What it has to say at `now`.
    mutating func feedback(at now: Instant) -> [UInt8] {
        PacketBytes.write { writeFeedback(from: SynchronizationSource(99), at: now, to: &$0) }
    }
}

extension Instant {
    static func milliseconds(_ count: Int64) -> Instant { .zero + .milliseconds(count) }
}

/// Something that a test relies on is not there.
struct NothingThere: Error {}
