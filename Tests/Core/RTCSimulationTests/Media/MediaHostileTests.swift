import RTCMedia
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@testable import RTCPeer

/// What a peer that has the keys can do to the other one: everything here comes as SRTP has opened it.
@Suite("A hostile peer's packets")
struct MediaHostileTests {
    private func connected() throws -> MediaCall {
        let call = try MediaCall(seed: 1)
        try #require(call.run(for: .seconds(5)) { $0.areConnected })
        call.run(for: .seconds(2))
        return call
    }

    private func write(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1_400) { buffer, count in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer))
            body(&writer)
            count = writer.count
        }
    }

    /// Has `side` receive RTCP.
    private func report(_ bytes: [UInt8], to side: SimulatedSide, of call: MediaCall) {
        call.pair.with(side) { peer, now in
            bytes.withUnsafeBytes { peer.media.receiveReports(RawSpan(_unsafeBytes: $0), at: now) }
        }
    }

    private func source(
        sentBy side: SimulatedSide, _ id: TransceiverID, _ call: MediaCall
    ) throws -> SynchronizationSource {
        let ssrc = call.pair.endpoint(side).peer.outgoingStatistics(id)?.ssrc
        return try #require(ssrc)
    }

    private func source(
        sentTo side: SimulatedSide, _ id: TransceiverID, _ call: MediaCall
    ) throws -> SynchronizationSource {
        let ssrc = call.pair.endpoint(side).peer.incomingStatistics(id)?.ssrc
        return try #require(ssrc)
    }

    private let stranger = SynchronizationSource(77)

    // MARK: RTCP

    @Test("A source that says good-bye a thousand times ends once; those of others do not")
    func goodbyes() throws {
        let call = try connected()
        let id = try #require(call.receiver(of: call.cameras[0].transceiver, on: .alice))
        let (theirs, ours) = try (source(sentTo: .bob, id, call), source(sentBy: .bob, id, call))
        func ends() -> Int {
            call.pair.bob.events.count { if case .remoteSourceEnded = $0.event { true } else { false } }
        }
        let foreign = write { writer in
            for ssrc in [ours, stranger] { Goodbye.write(ssrc, to: &writer) }
        }
        report(foreign, to: .bob, of: call)
        #expect(ends() == 0)
        let goodbyes = write { writer in for _ in 0..<100 { Goodbye.write(theirs, to: &writer) } }
        for _ in 0..<10 { report(goodbyes, to: .bob, of: call) }
        #expect(ends() == 1)
        // It sends on, and may end once more.
        call.run(for: .milliseconds(200))
        report(goodbyes, to: .bob, of: call)
        #expect(ends() == 2)
        #expect(call.expectDecodable(call.cameras[0]) == 1)
    }

    @Test("A flood of demands for key frames brings four a second")
    func keyFrameFlood() throws {
        let call = try connected()
        let ours = try source(sentBy: .bob, call.cameras[1].transceiver, call)
        let before = call.cameras[1].sent.count { $0.mark.reference == nil }
        for step in 0..<200 {
            let demands = write { writer in
                for number in 0..<20 {
                    PictureLossIndication(mediaSSRC: ours).write(from: stranger, to: &writer)
                    FullIntraRequest.write(
                        of: ours, sequenceNumber: UInt8(truncatingIfNeeded: step * 20 + number), from: stranger,
                        to: &writer)
                }
            }
            report(demands, to: .bob, of: call)
            call.run(for: .milliseconds(10))
        }
        let keyFrames = call.cameras[1].sent.count { $0.mark.reference == nil } - before
        #expect((4...9).contains(keyFrames), "\(keyFrames) in two seconds")
    }

    @Test("Reports of streams that are not ours, and of absurd round trips, change little")
    func reports() throws {
        let call = try connected()
        let ours = try source(sentBy: .bob, call.cameras[1].transceiver, call)
        let now = call.pair.bob.peer.media.clock.timestamp(at: call.pair.now)
        let report = write { writer in
            var blocks: [ReportBlock] = []
            for ssrc in [stranger, ours] {
                var block = ReportBlock(ssrc: ssrc)
                block.lastSenderReport = now.middle &- 59 << 16
                block.fractionLost = 255
                block.cumulativeLost = -8_000_000
                block.jitter = .max
                blocks.append(block)
            }
            ReceiverReport.write(from: stranger, blocks: blocks[...], to: &writer)
        }
        for _ in 0..<100 { self.report(report, to: .bob, of: call) }
        for incoming in call.pair.bob.peer.media.incoming {
            #expect((incoming.stream?.roundTripTime ?? .zero) <= MediaTransport.longestRoundTripTime)
        }
        call.run(for: .seconds(1))
        #expect(call.expectDecodable(call.cameras[0]) == 1 && call.expectDecodable(call.cameras[1]) == 1)
    }

    @Test("A flood of sender reports moves sound and picture apart no faster than one a half second")
    func senderReports() throws {
        let call = try connected()
        let sound = try call.recordAudio(to: .bob)
        call.run(for: .seconds(1))
        let before = sound.extraDelay
        var sources: [SynchronizationSource] = []
        for transceiver in [call.cameras[0].transceiver, call.microphones[0].transceiver] {
            let id = try #require(call.receiver(of: transceiver, on: .alice))
            sources.append(try source(sentTo: .bob, id, call))
        }
        let random = SeededRandom(seed: 5)
        for step in 0..<1_000 {
            let reports = write { writer in
                for source in sources {
                    // Plausible, and a second apart; or anything.
                    let time = step % 2 == 0 ? random.next() : 0xE000_0000 << 32
                    let info = SenderInfo(
                        time: NTPTimestamp(rawValue: time), timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: time)),
                        packetCount: .max, octetCount: .max)
                    SenderReport.write(info, from: source, blocks: [], to: &writer)
                }
            }
            report(reports, to: .bob, of: call)
        }
        #expect(sound.extraDelay - before <= .milliseconds(80))
        call.run(for: .milliseconds(100))
        #expect(!call.pair.isStuck)
    }

    @Test("Feedback that lies about what arrived, and when, moves the target within its limits", arguments: 1...4)
    func transportFeedback(seed: Int) throws {
        let call = try connected()
        let random = SeededRandom(seed: UInt64(seed))
        var reference: UInt32 = 0
        for step in 0..<20_000 {
            let newest = call.pair.bob.peer.media.congestion.nextTransportNumber
            // Days ahead each time, until the clock is at its end; or anything.
            reference = seed == 1 ? reference &+ 0x7F_FFFF : UInt32(truncatingIfNeeded: random.next())
            let feedback = write { writer in
                writer.write([0x8F, 205, 0, 5])
                writer.write(stranger.rawValue)
                writer.write(stranger.rawValue)
                writer.write(newest.rawValue &- UInt16(random.next(below: 20) + 1))
                writer.write(UInt16(1))
                writer.write(reference << 8 | UInt32(step & 0xFF))
                writer.write(UInt16(0x4001))
                writer.write(UInt16(truncatingIfNeeded: random.next()))
            }
            report(feedback, to: .bob, of: call)
            if step % 10 == 0 { call.run(for: .milliseconds(5)) }
            let target = call.pair.bob.peer.availableOutgoingBitrate
            #expect(target >= .kilobits(50) && target <= .megabits(10))
        }
        #expect(!call.pair.isStuck)
        #expect(call.expectDecodable(call.cameras[0]) > 0.95)
    }

    @Test("Limits that jump between nothing and everything make no flood of events")
    func limits() throws {
        let call = try connected()
        let before = call.pair.bob.events.count
        for step in 0..<200 {
            let bitrate = Bitrate(bitsPerSecond: step % 2 == 0 ? 0 : .max)
            let limits = write { writer in
                for _ in 0..<20 {
                    ReceiverEstimatedMaximumBitrate(bitrate: bitrate).write(from: stranger, about: [], to: &writer)
                }
            }
            report(limits, to: .bob, of: call)
        }
        // One for each packet and sender.
        #expect(call.pair.bob.events.count - before <= 200 * 2)
        let target = call.pair.bob.peer.availableOutgoingBitrate
        #expect(target >= .kilobits(50) && target <= .megabits(10))
    }

    @Test("Of the limits in one datagram the last counts, without a word of the others")
    func limitsOfOneDatagram() throws {
        let call = try connected()
        func events() -> Int { call.pair.bob.peer.media.events.count + call.pair.bob.events.count }
        let limits = write { writer in
            for _ in 0..<25 {
                for bitrate in [.max, 0] as [Int64] {
                    let limit = ReceiverEstimatedMaximumBitrate(bitrate: Bitrate(bitsPerSecond: bitrate))
                    limit.write(from: stranger, about: [], to: &writer)
                }
            }
        }
        let before = events()
        for _ in 0..<100 { report(limits, to: .bob, of: call) }
        let target = call.pair.bob.peer.availableOutgoingBitrate
        #expect(target == .kilobits(50))
        // One for the picture and one for the sound.
        #expect(events() - before <= 2, "\(events() - before)")
    }

    /// Feedback that says of so many packets, from the first on, that they have not arrived.
    private func emptyFeedback(of count: Int, to writer: inout ByteWriter) {
        writer.write([0x8F, 205, 0, 5])
        writer.write(stranger.rawValue)
        writer.write(stranger.rawValue)
        writer.write(UInt16(1))
        writer.write(UInt16(count))
        writer.write(UInt32(0))
        writer.write(UInt16(count))
        writer.write(UInt16(0))
    }

    @Test("Feedback without news costs little, however much of it is in a datagram")
    func feedbackWithoutNews() throws {
        let call = try connected()
        func visited() -> UInt64 { call.pair.bob.peer.media.congestion.visitedStatuses }
        let count = Int(call.pair.bob.peer.media.congestion.nextTransportNumber.rawValue) - 1
        try #require(count > 200 && count < 4_096)
        let feedback = write { writer in
            for _ in 0..<50 { emptyFeedback(of: count, to: &writer) }
        }
        #expect(feedback.count == 1_200)
        let before = visited()
        report(feedback, to: .bob, of: call)
        #expect((1...8_192).contains(visited() - before), "\(visited() - before)")
    }

    @Test("Feedback without news keeps neither the target up nor pictures back")
    func silenceWithFeedback() throws {
        let call = try connected()
        let sender = call.cameras[1].transceiver
        call.pair.network.setConditions(LinkConditions(delay: .milliseconds(20), loss: .random(1)), on: call.uplinks[0])
        let before = call.pair.bob.peer.availableOutgoingBitrate
        let feedback = write { emptyFeedback(of: 1, to: &$0) }
        var sent: [UInt64] = []
        for _ in 0..<60 {
            report(feedback, to: .bob, of: call)
            call.run(for: .milliseconds(50))
            sent.append(call.pair.bob.peer.outgoingStatistics(sender)?.stream.packetsSent ?? 0)
        }
        let target = call.pair.bob.peer.availableOutgoingBitrate
        #expect(target.bitsPerSecond * 2 < before.bitsPerSecond, "\(before), \(target)")
        #expect(sent[59] > sent[39] + 10, "\(sent)")
    }

    @Test("Random RTCP neither traps nor stops the call", arguments: 1...4)
    func randomReports(seed: Int) throws {
        let call = try connected()
        let random = SeededRandom(seed: UInt64(seed))
        let media = call.pair.bob.peer.media
        let known = media.outgoing.map(\.ssrc) + media.incoming.compactMap { $0.stream?.configuration.ssrc }
        for step in 0..<5_000 {
            let packet = write { writer in
                let words = Int(random.next(below: 40))
                writer.write([
                    0x80 | UInt8(random.next(below: 32)), UInt8(200 + random.next(below: 8)), 0, UInt8(words),
                ])
                for _ in 0..<words {
                    let isKnown = random.next(below: 3) == 0
                    let word = isKnown ? known[Int(random.next(below: UInt64(known.count)))].rawValue : nil
                    writer.write(word ?? UInt32(truncatingIfNeeded: random.next()))
                }
            }
            report(packet, to: .bob, of: call)
            if step % 20 == 0 { call.run(for: .milliseconds(5)) }
        }
        call.run(for: .seconds(3))
        #expect(!call.pair.isStuck)
        #expect(call.pair.now - (call.pictures(of: call.cameras[0]).last?.time ?? .zero) < .milliseconds(500))
    }

    // MARK: RTP

    /// Has bob receive random packets, for a second of each kind of disorder, and answers what was learnt of it.
    private func flood(_ call: MediaCall, seed: UInt64) {
        let random = SeededRandom(seed: seed)
        let media = call.pair.bob.peer.media
        let types = media.incoming.flatMap { each in
            each.parameters.receiveCodecs.flatMap { [$0.payloadType, $0.retransmissionPayloadType ?? $0.payloadType] }
        }
        let known = media.incoming.compactMap { $0.stream?.configuration.ssrc }
        for step in 0..<8_000 {
            var ssrc = known[Int(random.next(below: 2)) % known.count]
            if random.next(below: 3) == 0 { ssrc = SynchronizationSource(UInt32(random.next(below: 600))) }
            // In a row for a while, then anywhere; the time stands, runs, jumps and runs backwards.
            let number = step % 500 < 250 ? UInt16(truncatingIfNeeded: step) : UInt16(truncatingIfNeeded: random.next())
            let timestamp = [UInt32(step) * 3_000, 7, UInt32(truncatingIfNeeded: random.next()), 0 &- UInt32(step)]
            let type = types[Int(random.next(below: UInt64(types.count)))]
            let packet = write { writer in
                RTPHeader(
                    payloadType: type, sequenceNumber: RTPSequenceNumber(number),
                    timestamp: RTPTimestamp(timestamp[Int(random.next(below: 4))]), ssrc: ssrc,
                    marker: random.next(below: 2) == 0
                ).write(to: &writer, hasExtension: true)
                // One-byte form: a MID, an audio level, a playout delay of 40.95 s; and whatever else has that number.
                let mid = UInt8(ascii: "0") + UInt8(random.next(below: 3))
                var elements: [UInt8] = []
                for id in 1...14 as ClosedRange<UInt8> where random.next(below: 4) == 0 {
                    let size = UInt8(random.next(below: 3)) + 1
                    elements.append(id << 4 | (size - 1))
                    elements += (0..<size).map { _ in random.next(below: 2) == 0 ? 0xFF : mid }
                }
                while elements.count % 4 != 0 { elements.append(0) }
                writer.write(UInt16(0xBEDE))
                writer.write(UInt16(elements.count / 4))
                writer.write(elements)
                writer.write(random.bytes(Int(random.next(below: 1_100))))
            }
            call.pair.with(.bob) { peer, now in
                packet.withUnsafeBytes { peer.media.receiveMedia(RawSpan(_unsafeBytes: $0), arrival: now, at: now) }
            }
            if step % 40 == 0 { call.run(for: .milliseconds(10)) }
        }
    }

    @Test("Random RTP of known and unknown sources neither traps nor stops the call", arguments: Seeds.few.prefix(4))
    func randomMedia(seed: UInt64) throws {
        let call = try connected()
        let sections = call.pair.bob.peer.media.incoming.count
        flood(call, seed: seed)
        let media = call.pair.bob.peer.media
        #expect(media.incoming.count == sections && media.routes.count <= MediaTransport.maximumRoutes + sections)
        #expect(media.events.isEmpty)
        #expect(media.incoming.allSatisfy { ($0.stream?.missingCount ?? 0) <= 600 })
        // What the real source sends is taken again, as soon as the others are silent.
        call.cameras[0].needsKeyFrame = true
        call.run(for: .seconds(2))
        call.cameras[0].needsKeyFrame = true
        let count = call.pictures(of: call.cameras[0]).count
        call.run(for: .seconds(2))
        #expect(!call.pair.isStuck)
        #expect(call.pictures(of: call.cameras[0]).count > count + 45)
    }

    @Test("Packets that come after their transceiver was stopped go nowhere")
    func afterTheEnd() throws {
        let call = try connected()
        let id = try #require(call.receiver(of: call.cameras[0].transceiver, on: .alice))
        try call.pair.with(.bob) { try $0.stopTransceiver(id, at: $1) }
        // Before alice hears of it.
        call.run(for: .milliseconds(40))
        #expect(call.pair.bob.peer.mediaCounters.unmappedPackets > 0)
        let statistics = call.pair.bob.peer.incomingStatistics(id)
        #expect(statistics == nil)
        flood(call, seed: 9)
        #expect(!call.pair.isStuck)
    }
}
