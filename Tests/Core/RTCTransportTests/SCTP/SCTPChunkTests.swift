import RTCWire
import Testing

@testable import RTCTransport

@Suite("SCTP chunks are written and parsed")
struct SCTPChunkTests {
    /// What `write` writes.
    private func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer))
            write(&writer)
            count = writer.count
        }
    }

    /// Hands the only chunk of `bytes` to `body`.
    private func withChunk<Result>(_ bytes: [UInt8], _ body: (SCTPChunk) throws -> Result) throws -> Result {
        try bytes.withUnsafeBytes { memory in
            var reader = SCTPChunkReader(memory.bytes)
            guard let chunk = reader.next() else { throw Missing() }
            let isAlone = !reader.skipChunk()
            #expect(isAlone)
            return try body(chunk)
        }
    }

    private struct Missing: Error {}

    @Test("the common header")
    func commonHeader() throws {
        let header = SCTPCommonHeader(sourcePort: 5_000, destinationPort: 5_001, verificationTag: 0xDEAD_BEEF)
        let written = bytes { header.write(to: &$0) }
        #expect(written == [0x13, 0x88, 0x13, 0x89, 0xDE, 0xAD, 0xBE, 0xEF, 0, 0, 0, 0])
        #expect(written.withUnsafeBytes { SCTPCommonHeader(parsing: $0.bytes) } == header)
        #expect(written.dropLast().withUnsafeBytes { SCTPCommonHeader(parsing: $0.bytes) } == nil)
    }

    @Test("the checksum of RFC 9260 is put in little-endian")
    func checksum() throws {
        var packet = bytes {
            SCTPCommonHeader(sourcePort: 1, destinationPort: 2, verificationTag: 3).write(to: &$0)
            $0.writeEmptyChunk(.cookieAck)
        }
        packet.withUnsafeMutableBytes { SCTPCommonHeader.writeChecksum(into: $0) }
        let expected = packet.withUnsafeBytes { CRC32C.checksum(ofSCTPPacket: $0) }
        #expect(packet[8] == UInt8(truncatingIfNeeded: expected))
        #expect(packet.withUnsafeBytes { SCTPCommonHeader(parsing: $0.bytes)?.checksum } == expected)
    }

    @Test("DATA, with its flags and padding", arguments: [1, 2, 3, 4, 1_172])
    func data(size: Int) throws {
        let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        let written = payload.withUnsafeBytes { memory in
            bytes {
                DataChunk(
                    tsn: TransmissionSequenceNumber(0xFFFF_FFFF), stream: 7, sequenceNumber: StreamSequenceNumber(9),
                    protocolIdentifier: 51, flags: [.beginning, .unordered, .immediate], userData: memory.bytes
                ).write(to: &$0)
            }
        }
        #expect(written.count == DataChunk.size(userData: size))
        #expect(Array(written[0..<4]) == [0, 0x0E, UInt8((16 + size) >> 8), UInt8((16 + size) & 0xFF)])
        try withChunk(written) { chunk in
            guard let parsed = DataChunk(parsing: chunk) else { throw Missing() }
            let fields = [
                Int(parsed.tsn.rawValue), Int(parsed.stream), Int(parsed.sequenceNumber.rawValue),
                Int(parsed.protocolIdentifier), Int(parsed.flags.rawValue),
            ]
            #expect(fields == [0xFFFF_FFFF, 7, 9, 51, 0x0E])
            let userData = parsed.userData.array
            #expect(userData == payload)
        }
    }

    @Test("INIT and INIT ACK, with all their parameters")
    func initChunk() throws {
        var chunk = InitChunk(
            initiateTag: 1, advertisedWindow: 2, outboundStreams: 3, inboundStreams: 4,
            initialTSN: TransmissionSequenceNumber(5))
        chunk.supportsForwardTSN = true
        chunk.supportsReconfiguration = true
        chunk.acceptsZeroChecksum = true
        chunk.cookie = [1, 2, 3, 4, 5]
        let written = bytes { chunk.write(as: .initAck, to: &$0) }
        #expect(written.count % 4 == 0)
        try withChunk(written) {
            #expect($0.type == .initAck)
            #expect(InitChunk(parsing: $0.value) == chunk)
        }
    }

    @Test("unknown parameters are skipped, reported, or end the chunk, as their highest bits say")
    func unknownParameters() throws {
        func parse(_ type: UInt16) -> InitChunk? {
            let written = bytes {
                let start = $0.beginChunk(.`init`)
                $0.write(UInt32(1))
                $0.write(UInt32(1_500))
                $0.write(UInt16(1))
                $0.write(UInt16(1))
                $0.write(UInt32(1))
                $0.writeParameter(SCTPParameterType(rawValue: type), [1, 2, 3])
                $0.writeParameter(.forwardTSNSupported, [])
                $0.endChunk(start)
            }
            return try? withChunk(written) { InitChunk(parsing: $0.value) }
        }
        let stop = try #require(parse(0x0FFF))
        #expect(!stop.supportsForwardTSN && stop.unrecognizedParameters.isEmpty)
        let stopAndReport = try #require(parse(0x4FFF))
        #expect(!stopAndReport.supportsForwardTSN)
        #expect(stopAndReport.unrecognizedParameters == [[0x4F, 0xFF, 0, 7, 1, 2, 3]])
        let skip = try #require(parse(0x8FFF))
        #expect(skip.supportsForwardTSN && skip.unrecognizedParameters.isEmpty)
        let skipAndReport = try #require(parse(0xCFFF))
        #expect(skipAndReport.supportsForwardTSN && skipAndReport.unrecognizedParameters.count == 1)
    }

    @Test("SACK, with gap ack blocks and duplicates")
    func sack() throws {
        let cumulative = TransmissionSequenceNumber(0xFFFF_FFF0)
        let blocks = [
            ReceivedRange(first: cumulative.advanced(by: 2), last: cumulative.advanced(by: 3)),
            ReceivedRange(first: cumulative.advanced(by: 100), last: cumulative.advanced(by: 300)),
        ]
        let duplicates = [TransmissionSequenceNumber(7)]
        let written = bytes {
            SackChunk.write(
                cumulativeTSN: cumulative, advertisedWindow: 70_000, gapBlocks: blocks[...],
                duplicates: duplicates[...], to: &$0)
        }
        #expect(written.count == SackChunk.size(gapBlocks: 2, duplicates: 1))
        try withChunk(written) { chunk in
            guard let sack = SackChunk(parsing: chunk.value) else { throw Missing() }
            let fields = [Int(sack.cumulativeTSN.rawValue), Int(sack.advertisedWindow), sack.gapBlockCount]
            #expect(fields == [0xFFFF_FFF0, 70_000, 2])
            let bounds = [sack.gapBlock(at: 0), sack.gapBlock(at: 1)].map { [$0.start, $0.end] }
            #expect(bounds == [[2, 3], [100, 300]])
            let reported = [sack.duplicate(at: 0)]
            #expect(reported == duplicates)
        }
        // One block more than there is room for.
        var lying = written
        lying[13] = 3
        let isParsed = try withChunk(lying) { chunk in
            if let _ = SackChunk(parsing: chunk.value) { return true }
            return false
        }
        #expect(!isParsed)
    }

    @Test("HEARTBEAT, COOKIE ECHO, SHUTDOWN")
    func small() throws {
        let heartbeat = HeartbeatChunk(information: [1, 2, 3, 4, 5])
        try withChunk(bytes { heartbeat.write(as: .heartbeat, to: &$0) }) {
            #expect(HeartbeatChunk(parsing: $0.value) == heartbeat)
        }
        let cookie = CookieEchoChunk(cookie: [9, 8, 7])
        try withChunk(bytes { cookie.write(to: &$0) }) { #expect(CookieEchoChunk(parsing: $0.value) == cookie) }
        let shutdown = ShutdownChunk(cumulativeTSN: TransmissionSequenceNumber(77))
        try withChunk(bytes { shutdown.write(to: &$0) }) { #expect(ShutdownChunk(parsing: $0.value) == shutdown) }
    }

    @Test("ABORT and ERROR, with causes")
    func causes() throws {
        let causes = [
            SCTPErrorCause(.unrecognizedChunkType, information: [1, 2, 3]), SCTPErrorCause(.userInitiatedAbort),
        ]
        let abort = AbortChunk(tagIsReflected: true, causes: causes)
        try withChunk(bytes { abort.write(to: &$0) }) {
            #expect(AbortChunk(parsing: $0.value, flags: $0.flags) == abort)
        }
        let error = ErrorChunk(causes: causes)
        try withChunk(bytes { error.write(to: &$0) }) { #expect(ErrorChunk(parsing: $0.value) == error) }
    }

    @Test("FORWARD TSN")
    func forwardTSN() throws {
        let skipped = [
            ForwardTSNChunk.SkippedStream(stream: 1, sequenceNumber: StreamSequenceNumber(65_535)),
            ForwardTSNChunk.SkippedStream(stream: 65_534, sequenceNumber: StreamSequenceNumber(0)),
        ]
        let written = bytes {
            ForwardTSNChunk.write(newCumulativeTSN: TransmissionSequenceNumber(4), skipped: skipped, to: &$0)
        }
        try withChunk(written) { chunk in
            guard let parsed = ForwardTSNChunk(parsing: chunk.value) else { throw Missing() }
            let tsn = parsed.newCumulativeTSN.rawValue
            #expect(tsn == 4)
            let streams = [parsed.skippedStream(at: 0), parsed.skippedStream(at: 1)]
            #expect(streams == skipped)
        }
    }

    @Test("RE-CONFIG, with each of its parameters")
    func reconfiguration() throws {
        let number = ReconfigurationSequenceNumber(5)
        let parameters: [ReconfigurationParameter] = [
            .outgoingReset(
                OutgoingResetRequest(
                    requestNumber: number, responseNumber: number.next,
                    lastAssignedTSN: TransmissionSequenceNumber(6), streams: [1, 2, 3])),
            .incomingReset(IncomingResetRequest(requestNumber: number, streams: [4])),
            .associationReset(AssociationResetRequest(requestNumber: number)),
            .addStreams(AddStreamsRequest(isOutgoing: true, requestNumber: number, newStreams: 10)),
            .addStreams(AddStreamsRequest(isOutgoing: false, requestNumber: number, newStreams: 11)),
            .response(ReconfigurationResponse(responseNumber: number, result: .inProgress)),
        ]
        for first in parameters {
            for chunk in [
                ReconfigurationChunk(parameters: [first]), ReconfigurationChunk(parameters: [first, parameters[5]]),
            ] {
                let written = bytes { chunk.write(to: &$0) }
                #expect(written.count % 4 == 0)
                try withChunk(written) { #expect(ReconfigurationChunk(parsing: $0.value) == chunk) }
            }
        }
    }

    @Test("the state cookie, and no one else's")
    func cookie() throws {
        let binding = StateCookie.Binding(high: 1, low: 2)
        var peer = InitChunk(
            initiateTag: 9, advertisedWindow: 10, outboundStreams: 11, inboundStreams: 12,
            initialTSN: TransmissionSequenceNumber(13))
        peer.supportsForwardTSN = true
        peer.acceptsZeroChecksum = true
        var cookie = StateCookie(
            binding: binding, created: Instant(nanoseconds: 77), localTag: 5,
            localInitialTSN: TransmissionSequenceNumber(6), peer: peer)
        cookie.localTieTag = 1
        cookie.peerTieTag = 2
        let bytes = cookie.bytes
        #expect(bytes.count == StateCookie.size)
        #expect(bytes.withUnsafeBytes { StateCookie(parsing: $0.bytes, binding: binding) } == cookie)
        let other = StateCookie.Binding(high: 1, low: 3)
        #expect(bytes.withUnsafeBytes { StateCookie(parsing: $0.bytes, binding: other) } == nil)
        #expect(bytes.dropLast().withUnsafeBytes { StateCookie(parsing: $0.bytes, binding: binding) } == nil)
    }

    @Test("a chunk with an impossible length ends the packet")
    func impossibleLength() {
        for bytes in [[0, 0, 0, 3], [0, 0, 0, 9, 1, 2, 3, 4], [0, 0, 0]] as [[UInt8]] {
            let isParsed = bytes.withUnsafeBytes { memory in
                var reader = SCTPChunkReader(memory.bytes)
                return reader.skipChunk()
            }
            #expect(!isParsed)
        }
    }
}

extension SCTPChunkReader {
    fileprivate mutating func skipChunk() -> Bool {
        guard let _ = next() else { return false }
        return true
    }
}
