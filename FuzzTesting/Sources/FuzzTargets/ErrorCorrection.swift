import RTCMedia
import RTCWire

private let types = RTPProtectionTypes(red: RTPPayloadType(118), ulpfec: RTPPayloadType(120))
private let source = SynchronizationSource(0x0101_0101)

/// Wrapped packets of a stream, of which some are lost, and parity of them, or anything in its place. While all parity is
/// genuine, what is recovered must be what was sent.
func fuzzErrorCorrection(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var configuration = RTPIncomingStream.Configuration(
        ssrc: source, clockRate: 90_000, rtxSSRC: SynchronizationSource(2),
        rtxPayloadTypes: [(types.red, RTPPayloadType(119))], requestsRetransmissions: true)
    configuration.protection = types
    configuration.extensionMap = RTPHeaderExtensionMap([(4, .absoluteSendTime), (5, .transportSequenceNumber)])
    var stream = RTPIncomingStream(configuration)
    var sent: [UInt16: [UInt8]] = [:]
    var number: UInt16 = 0xFF00
    var isGenuine = true
    for _ in 0..<400 where !input.isEmpty {
        let choices = input.byte()
        number = choices & 0x01 == 0 ? number &+ 1 : number &+ UInt16(input.byte() % 64) &- 16
        switch choices >> 1 & 3 {
        case 0:
            let payload = input.chunk(limit: choices & 0x08 == 0 ? 40 : 1_600)
            if sent[number] != nil { isGenuine = false }
            sent[number] = packet(96, number, payload)
            guard choices & 0x10 == 0 else { continue }
            receive(packet(118, number, [96] + payload), &stream, sent, isGenuine)
        case 1:
            let base = number &- UInt16(input.byte() % 64), step = UInt16(input.byte() % 4 + 1)
            let protection = parity(of: sent, base: base, step, before: number)
            receive(packet(118, number, [120] + protection), &stream, sent, isGenuine)
        case 2:
            isGenuine = false
            receive(packet(118, number, [120] + input.chunk(limit: 1_600)), &stream, sent, false)
        default:
            isGenuine = false
            // Whole packets, with header extensions and padding or as retransmissions.
            receive(input.chunk(limit: 300), &stream, sent, false)
        }
    }
    let counts = stream.statistics
    precondition(counts.fecPacketsDiscarded <= counts.fecPacketsReceived, "more discarded than came")
    precondition(counts.packetsRecovered <= counts.fecPacketsReceived, "more recovered than there was parity for")
}

private func packet(_ type: UInt8, _ number: UInt16, _ payload: [UInt8]) -> [UInt8] {
    var memory = [UInt8](repeating: 0, count: RTPHeader.minimumLength + payload.count)
    memory.withUnsafeMutableBytes { memory in
        var writer = ByteWriter(memory)
        RTPHeader(
            payloadType: RTPPayloadType(type), sequenceNumber: RTPSequenceNumber(number),
            timestamp: RTPTimestamp(UInt32(number) << 9), ssrc: source, marker: number % 4 == 0
        ).write(to: &writer, hasExtension: false)
        writer.write(payload)
    }
    return memory
}

/// The parity of those packets of every `step`-th number that were sent.
private func parity(of sent: [UInt16: [UInt8]], base: UInt16, _ step: UInt16, before end: UInt16) -> [UInt8] {
    var parity = ULPFECParity()
    parity.begin(at: RTPSequenceNumber(base))
    var number = base
    while RTPSequenceNumber(number) < RTPSequenceNumber(end) {
        sent[number]?.withUnsafeBytes { packet in _ = parity.add(packet) }
        number &+= step
    }
    var memory = [UInt8](repeating: 0, count: parity.size)
    memory.withUnsafeMutableBytes { memory in
        var writer = ByteWriter(memory)
        parity.write(to: &writer)
        precondition(!writer.overflowed && writer.count == memory.count, "another size than was said")
    }
    return memory
}

private func receive(
    _ packet: [UInt8], _ stream: inout RTPIncomingStream, _ sent: [UInt16: [UInt8]], _ isGenuine: Bool
) {
    packet.withUnsafeBytes { memory in
        let span = RawSpan(_unsafeBytes: memory)
        guard var header = RTPHeader(span) else { return }
        if !stream.owns(header.ssrc) { header.ssrc = header.marker ? SynchronizationSource(2) : source }
        if let arrival = stream.receive(span, header: header, at: .zero) {
            precondition(arrival.payload.lowerBound >= 12 && arrival.payload.upperBound <= span.byteCount)
        }
    }
    while let arrival = stream.recoverPacket() {
        var found: [UInt8]?
        stream.withRecoveredPacket(arrival.number) { found = Array($0) }
        guard let found else { preconditionFailure("a recovered packet without bytes") }
        precondition(arrival.isRecovered && arrival.payload.upperBound <= found.count, "a payload beyond its packet")
        let original = sent[UInt16(truncatingIfNeeded: arrival.number)]
        precondition(!isGenuine || found == original, "recovered what was never sent")
    }
}
