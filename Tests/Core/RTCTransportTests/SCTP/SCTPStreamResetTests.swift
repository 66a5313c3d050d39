import RTCWire
import Testing

@testable import RTCTransport

@Suite("SCTP stream reset (RFC 6525)")
struct SCTPStreamResetTests {
    private func message(_ number: UInt32, stream: UInt16, size: Int = 3_000) -> SCTPMessage {
        SCTPMessage(stream: stream, protocolIdentifier: number, bytes: [UInt8](repeating: 0, count: size))
    }

    @Test("a reset comes after all that was sent, and numbers begin anew", arguments: 0..<12 as Range<UInt64>)
    func reset(seed: UInt64) throws {
        var link = SCTPLink(conditions: .terrible, seed: seed)
        link.connect()
        for number in 0..<10 as Range<UInt32> { try link.a.send(message(number, stream: 5), at: link.now) }
        link.a.resetStreams([5], at: link.now)
        #expect(throws: SCTPSendError.streamUnavailable) {
            try link.a.send(message(0, stream: 5), at: link.now)
        }
        try link.a.send(message(100, stream: 6), at: link.now)
        var order: [String] = []
        var isReset = false
        let react = { (link: inout SCTPLink) in
            while let event = link.b.pollEvent() {
                switch event {
                case .message(let message): order.append("\(message.stream):\(message.protocolIdentifier)")
                case .incomingStreamsReset(let streams): order.append("reset \(streams)")
                default: break
                }
            }
            for event in link.a.drain() {
                if case .outgoingStreamsReset([5]) = event {
                    isReset = true
                    try? link.a.send(message(10, stream: 5), at: link.now)
                }
            }
        }
        link.run(for: .seconds(120), react: react, until: { _ in order.contains("5:10") })
        #expect(isReset)
        #expect(order.filter { $0 != "6:100" } == (0..<10).map { "5:\($0)" } + ["reset [5]", "5:10"])
    }

    @Test("many streams are reset by few requests")
    func many() throws {
        var link = SCTPLink()
        link.connect()
        for stream in 0..<500 as Range<UInt16> { try link.a.send(message(0, stream: stream, size: 10), at: link.now) }
        link.run(for: .seconds(2))
        let before = link.packetsToB
        link.a.resetStreams(Array(0..<500), at: link.now)
        var reset: Set<UInt16> = []
        link.run(for: .seconds(5)) { link in
            for event in link.a.drain() {
                if case .outgoingStreamsReset(let streams) = event { reset.formUnion(streams) }
            }
        }
        #expect(reset.count == 500)
        #expect(link.packetsToB - before < 12)
        #expect(link.a.queue.slot(of: 3) == nil)
    }

    @Test("a reset that overtakes data waits for them")
    func deferred() throws {
        var link = SCTPLink()
        link.connect()
        link.run(for: .seconds(1))
        _ = link.b.drain()
        // A peer that asks at once, as others do, before what it sent is acknowledged.
        try link.a.send(message(1, stream: 5, size: 100), at: link.now)
        let data = link.a.transmit(at: link.now)
        let request = OutgoingResetRequest(
            requestNumber: link.b.reconfiguration.nextPeerRequest, responseNumber: ReconfigurationSequenceNumber(0),
            lastAssignedTSN: link.a.outstanding.nextTSN.previous, streams: [5])
        let ask = packet(to: link.b) { ReconfigurationChunk(parameters: [.outgoingReset(request)]).write(to: &$0) }
        link.b.deliver(ask, at: link.now)
        let answer1 = link.b.transmit(at: link.now)
        #expect(result(answer1) == .inProgress)
        link.b.deliver(ask, at: link.now)
        let answer2 = link.b.transmit(at: link.now)
        #expect(result(answer2) == .inProgress)
        #expect(link.b.events.isEmpty)
        link.b.deliver(data, at: link.now)
        let events = link.b.drain()
        guard events.count == 2, case .message = events[0], case .incomingStreamsReset([5]) = events[1] else {
            Issue.record("\(events)")
            return
        }
        let answer3 = link.b.transmit(at: link.now)
        #expect(result(answer3) == .performed)
        link.b.deliver(ask, at: link.now)
        let answer4 = link.b.transmit(at: link.now)
        #expect(result(answer4) == .performed)
        #expect(link.b.events.isEmpty)
    }

    @Test("a peer that asks again by a new number, while its reset waits, is not refused")
    func askedAgain() throws {
        var link = SCTPLink()
        link.connect()
        link.run(for: .seconds(1))
        _ = link.b.drain()
        try link.a.send(message(1, stream: 5, size: 100), at: link.now)
        let data = link.a.transmit(at: link.now)
        var request = OutgoingResetRequest(
            requestNumber: link.b.reconfiguration.nextPeerRequest, responseNumber: ReconfigurationSequenceNumber(0),
            lastAssignedTSN: link.a.outstanding.nextTSN.previous, streams: [5])
        for _ in 0..<3 {
            let ask = packet(to: link.b) { ReconfigurationChunk(parameters: [.outgoingReset(request)]).write(to: &$0) }
            link.b.deliver(ask, at: link.now)
            let answer = link.b.transmit(at: link.now)
            #expect(result(answer) == .inProgress)
            request.requestNumber = request.requestNumber.next
        }
        // Another one meanwhile is refused, and is not taken for performed afterwards.
        request.streams = [6]
        let other = packet(to: link.b) { ReconfigurationChunk(parameters: [.outgoingReset(request)]).write(to: &$0) }
        link.b.deliver(other, at: link.now)
        let refusal = link.b.transmit(at: link.now)
        #expect(result(refusal) == .requestAlreadyInProgress)
        link.b.deliver(data, at: link.now)
        let events = link.b.drain()
        guard events.count == 2, case .message = events[0], case .incomingStreamsReset([5]) = events[1] else {
            Issue.record("\(events)")
            return
        }
        while !link.b.transmit(at: link.now).isEmpty {}
        link.b.deliver(other, at: link.now)
        let again = link.b.transmit(at: link.now)
        #expect(result(again) == .requestAlreadyInProgress)
    }

    @Test("a stream that the peer uses anew before its answer has come through can be reset again")
    func resetAgain() throws {
        var link = SCTPLink()
        link.connect()
        link.run(for: .seconds(1))
        link.a.resetStreams([3], at: link.now)
        link.filter = { _, isToB in isToB }  // B's answer is lost.
        link.run(for: .milliseconds(100))
        try link.a.send(message(1, stream: 3), at: link.now)
        link.a.resetStreams([3], at: link.now)
        #expect(throws: SCTPSendError.streamUnavailable) { try link.a.send(message(2, stream: 3), at: link.now) }
        link.filter = { _, _ in true }
        link.run(for: .seconds(10))
        let order = link.b.drain().compactMap { event -> String? in
            switch event {
            case .message(let message): "message \(message.protocolIdentifier)"
            case .incomingStreamsReset(let streams): "reset \(streams)"
            default: nil
            }
        }
        #expect(order == ["reset [3]", "message 1", "reset [3]"])
        let ends = link.a.drain().count { if case .outgoingStreamsReset([3]) = $0 { true } else { false } }
        #expect(ends == 1)
        #expect(link.a.queue.slot(of: 3) == nil)
    }

    @Test("a peer that cannot reset streams is not asked, however early the wish")
    func unsupported() {
        var link = SCTPLink()
        link.a.connect(at: link.now)
        link.run(for: .seconds(1), until: { $0.a.state == .cookieEchoed })
        link.a.peerCapabilities.remove(.reconfiguration)
        link.a.resetStreams([1], at: link.now)
        guard case .streamResetDenied([1])? = link.a.pollEvent() else {
            Issue.record("not refused")
            return
        }
    }

    @Test("requests out of sequence, for streams that do not exist, or of other kinds are refused")
    func refused() throws {
        var link = SCTPLink()
        link.connect()
        link.run(for: .seconds(1))
        let number = link.b.reconfiguration.nextPeerRequest
        let last = link.a.outstanding.nextTSN.previous
        func answer(_ parameter: ReconfigurationParameter) -> ReconfigurationResponse.Result? {
            let ask = packet(to: link.b) { ReconfigurationChunk(parameters: [parameter]).write(to: &$0) }
            link.b.deliver(ask, at: link.now)
            return result(link.b.transmit(at: link.now))
        }
        func reset(_ number: ReconfigurationSequenceNumber, _ stream: UInt16) -> ReconfigurationParameter {
            .outgoingReset(
                OutgoingResetRequest(
                    requestNumber: number, responseNumber: number, lastAssignedTSN: last, streams: [stream]))
        }
        #expect(answer(reset(number.advanced(by: 5), 1)) == .badSequenceNumber)
        #expect(answer(reset(number, 65_535)) == .wrongStream)
        #expect(answer(.associationReset(AssociationResetRequest(requestNumber: number.next))) == .denied)
        #expect(
            answer(.incomingReset(IncomingResetRequest(requestNumber: number.advanced(by: 2), streams: [])))
                == .denied)
        #expect(
            answer(
                .addStreams(
                    AddStreamsRequest(isOutgoing: true, requestNumber: number.advanced(by: 3), newStreams: 1)))
                == .denied)
    }

    @Test("streams are added where the peer has room for them")
    func addStreams() throws {
        var few = SCTPConfiguration()
        few.incomingStreams = 100
        few.outgoingStreams = 100
        var link = SCTPLink(configuration: SCTPConfiguration(), other: few)
        link.connect()
        #expect(link.a.outgoingStreams == 100)
        #expect(link.b.incomingStreamCount == 100)
        link.a.addOutgoingStreams(5, at: link.now)
        link.run(for: .seconds(1))
        #expect(link.a.outgoingStreams == 100)

        var link2 = SCTPLink(configuration: few, other: SCTPConfiguration())
        link2.connect()
        #expect(link2.b.incomingStreamCount == 100)
        link2.a.addOutgoingStreams(50, at: link2.now)
        link2.run(for: .seconds(1))
        #expect(link2.a.outgoingStreams == 150)
        #expect(link2.b.incomingStreamCount == 150)
        try link2.a.send(message(1, stream: 149), at: link2.now)
        link2.run(for: .seconds(1))
        let messages = link2.b.drainMessages(at: link2.now)
        #expect(messages.count == 1)
    }

    /// A packet with the chunk that `write` writes.
    private func packet(to receiver: SCTPAssociation, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1_200) { buffer, count in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer))
            SCTPCommonHeader(sourcePort: 5_000, destinationPort: 5_000, verificationTag: receiver.localTag).write(
                to: &writer)
            write(&writer)
            SCTPCommonHeader.writeChecksum(into: writer.written)
            count = writer.count
        }
    }

    /// The result in the last RE-CONFIG response of a packet.
    private func result(_ packet: [UInt8]) -> ReconfigurationResponse.Result? {
        packet.withUnsafeBytes { memory in
            var result: ReconfigurationResponse.Result?
            var reader = SCTPChunkReader(memory.bytes.extracting(min(12, memory.count)..<memory.count))
            while let chunk = reader.next() {
                guard chunk.type == .reconfiguration, let parsed = ReconfigurationChunk(parsing: chunk.value) else {
                    continue
                }
                for case .response(let response) in parsed.parameters { result = response.result }
            }
            return result
        }
    }
}
