import RTCMedia
import RTCWire

private let extensionMap = RTPHeaderExtensionMap([
    (1, .mediaIdentification), (2, .streamIdentifier), (3, .repairedStreamIdentifier), (4, .absoluteSendTime),
    (5, .transportSequenceNumber), (6, .audioLevel), (7, .videoOrientation), (8, .playoutDelay),
    (9, .absoluteCaptureTime), (10, .transmissionOffset),
])

/// Packets of a stream and of its retransmissions, one after the other, with time going by between them.
func fuzzRTP(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var map = extensionMap
    if input.byte() & 1 == 1 { map.set(.audioLevel, id: 200) }
    var stream = RTPIncomingStream(
        RTPIncomingStream.Configuration(
            ssrc: SynchronizationSource(0x0101_0101), clockRate: 90_000, rtxSSRC: SynchronizationSource(0x0202_0202),
            rtxPayloadTypes: [(RTPPayloadType(96), RTPPayloadType(97))], requestsRetransmissions: true,
            requestsKeyFrames: true))
    var arrivals = TransportFeedbackWriter()
    var now = Instant.zero
    for _ in 0..<200 where !input.isEmpty {
        now += .milliseconds(Int64(input.byte()))
        let packet = input.chunk(limit: 300)
        packet.withUnsafeBytes { memory in
            let span = RawSpan(_unsafeBytes: memory)
            guard var header = RTPHeader(span) else { return }
            let extensions = RTPHeaderExtensions(span, header: header, map: map)
            checkRewriting(extensions, map)
            if let number = extensions.transportSequenceNumber { arrivals.record(number, at: now) }
            // Most SSRCs would lead nowhere.
            if !stream.owns(header.ssrc) {
                header.ssrc = SynchronizationSource(header.marker ? 0x0202_0202 : 0x0101_0101)
            }
            guard let arrival = stream.receive(span, header: header, at: now) else { return }
            precondition(arrival.payload.lowerBound >= 12, "the payload begins in the header")
            precondition(arrival.payload.upperBound <= span.byteCount, "the payload is longer than the packet")
        }
        feedback(&stream, &arrivals, at: now)
    }
    var blocks: [ReportBlock] = []
    stream.appendReportBlocks(to: &blocks, at: now)
    precondition(blocks.count <= 2)
}

/// What was read can be written, and then is read the same.
private func checkRewriting(_ extensions: RTPHeaderExtensions, _ map: RTPHeaderExtensionMap) {
    var memory = [UInt8](repeating: 0, count: 200)
    memory.withUnsafeMutableBytes { memory in
        var writer = ByteWriter(memory)
        RTPHeader(
            payloadType: RTPPayloadType(0), sequenceNumber: RTPSequenceNumber(0), timestamp: RTPTimestamp(0),
            ssrc: SynchronizationSource(0)
        ).write(to: &writer, hasExtension: true)
        extensions.write(to: &writer, map: map)
        precondition(!writer.overflowed, "the extension is larger than it can be")
        let span = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(writer.written))
        guard let header = RTPHeader(span) else { preconditionFailure("what was written is no packet") }
        precondition(header.length == span.byteCount, "the length of the extension is wrong")
        precondition(RTPHeaderExtensions(span, header: header, map: map) == extensions, "it means something else")
    }
}

/// Everything that the receiving side would say, read again.
private func feedback(_ stream: inout RTPIncomingStream, _ arrivals: inout TransportFeedbackWriter, at now: Instant) {
    var memory = [UInt8](repeating: 0, count: 400)
    memory.withUnsafeMutableBytes { memory in
        for _ in 0..<100 where stream.nextDeadline <= now || arrivals.nextDeadline <= now {
            var writer = ByteWriter(memory)
            if stream.nextDeadline <= now {
                stream.writeFeedback(from: SynchronizationSource(9), at: now, to: &writer)
            }
            if arrivals.nextDeadline <= now {
                arrivals.write(
                    from: SynchronizationSource(9), media: SynchronizationSource(1), at: now, to: &writer)
            }
            precondition(!writer.overflowed, "feedback does not fit")
            var reader = RTCPReader(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(writer.written)))
            while let packet = reader.next() { precondition(packet.kind != .other, "we wrote nonsense") }
        }
        precondition(stream.nextDeadline > now || stream.missingCount > 0, "the deadline stays in the past")
    }
}

/// Compound packets for the streams and the feedback that they may be about.
func fuzzRTCP(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let clock = NTPClock(unixNanoseconds: 1_700_000_000_000_000_000, at: .zero)
    var sender = RTPOutgoingStream(
        RTPOutgoingStream.Configuration(
            ssrc: SynchronizationSource(0x0101_0101), clockRate: 90_000, extensionMap: extensionMap, history: .video),
        random: SeededRandom(seed: 0))
    var receiver = RTPIncomingStream(
        RTPIncomingStream.Configuration(ssrc: SynchronizationSource(0x0303_0303), clockRate: 48_000))
    var sent = TransportFeedbackReader()
    var estimator = BandwidthEstimator()
    sendPackets(60, &sender, &sent)
    var references: [RTPPacketReference] = []
    var now = Instant.zero
    for _ in 0..<20 where !input.isEmpty {
        now += .milliseconds(Int64(input.byte()) * 4)
        input.chunk(limit: 1_500).withUnsafeBytes { memory in
            var reader = RTCPReader(RawSpan(_unsafeBytes: memory))
            while let packet = reader.next() {
                if let report = SenderReport(packet) {
                    receiver.handle(report.info, at: now)
                    for index in 0..<report.blocks.count {
                        if let block = report.blocks[index] { sender.handle(block, at: now, clock: clock) }
                    }
                }
                if let report = ReceiverReport(packet) {
                    for index in 0..<report.blocks.count {
                        if let block = report.blocks[index] { sender.handle(block, at: now, clock: clock) }
                    }
                }
                if var description = SourceDescription(packet) {
                    while let item = description.next() { precondition(item.text.byteCount <= 255) }
                }
                if let goodbye = Goodbye(packet) {
                    for index in 0..<goodbye.count { _ = goodbye[index] }
                }
                if let nack = GenericNACK(packet) { sender.handle(nack, at: now, references: &references) }
                if let feedback = TransportFeedback(packet), sent.handle(feedback) {
                    estimator.update(sent.results, at: now)
                }
                if let indication = PictureLossIndication(packet) { _ = sender.handle(indication, at: now) }
                if var request = FullIntraRequest(packet) {
                    while let entry = request.next() { _ = sender.handle(entry, at: now) }
                }
                if let limit = ReceiverEstimatedMaximumBitrate(packet) { estimator.update(limit, at: now) }
            }
        }
        precondition(sent.bytesInFlight >= 0)
        precondition(estimator.target >= estimator.configuration.minimum)
        precondition(estimator.target <= estimator.configuration.maximum)
    }
    precondition(references.count <= 60 * 10, "NACKs make more packets than were sent")
    _ = receiver.captureTime(of: RTPTimestamp(0x8000_0000))
}

private func sendPackets(_ count: Int, _ sender: inout RTPOutgoingStream, _ sent: inout TransportFeedbackReader) {
    var memory = [UInt8](repeating: 0, count: 1_500)
    for _ in 0..<count {
        let frame = RTPFrameDescription(
            payloadType: RTPPayloadType(96), timestamp: RTPTimestamp(0), captureTime: .zero)
        let reference = sender.write(frame, at: .zero) { _ in (100, true) }
        guard let reference else { preconditionFailure("a packet was not written") }
        let packet = memory.withUnsafeMutableBytes {
            sender.send(reference, into: $0, transportSequenceNumber: sent.nextNumber, at: .zero)
        }
        guard let packet, packet.hasTransportSequenceNumber else { preconditionFailure("a packet was not sent") }
        sent.noteSent(size: packet.size, at: .zero)
    }
}
