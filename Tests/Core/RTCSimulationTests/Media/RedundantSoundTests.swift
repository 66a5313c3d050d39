import RTCMedia
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

/// Redundant audio (RFC 2198) from one peer to another: what it gives back, and what it must not take.
@Suite("Sound that carries earlier sound along")
struct RedundantSoundTests {
    /// A call of sound alone, or with pictures, that listens to what bob receives.
    private struct Listening {
        let call: MediaCall
        let sound: PlayedSound

        init(seed: UInt64, _ conditions: LinkConditions, isRedundant: Bool, hasPictures: Bool = false) throws {
            var capabilities = MediaCapabilities.everything
            capabilities.audio.isRedundancyOffered = isRedundant
            call = try MediaCall(seed: seed, conditions, capabilities: capabilities, isEmpty: true)
            for side in SimulatedSide.allCases {
                try call.addMicrophone(on: side)
                if hasPictures { try call.addCamera(on: side) }
            }
            #expect(call.run(for: .seconds(20)) { $0.areConnected })
            // Where packets carry the one before them, the codec has no copies of its own.
            sound = PlayedSound(hasForwardErrorCorrection: !isRedundant)
            let id = try #require(call.receiver(of: call.microphones[0].transceiver, on: .alice))
            call.pair.with(.bob) { peer, _ in peer.setAudioSink(sound, of: id) }
        }

        func run(for time: TimeDelta) {
            let end = call.pair.now + time
            while call.pair.now < end {
                call.run(for: .milliseconds(10))
                sound.play(at: call.pair.now)
            }
        }

        /// The share of what was played in `time` that was made up.
        func concealedShare(in time: TimeDelta) -> Double {
            let before = sound.statistics
            run(for: time)
            let after = sound.statistics
            return Double(after.concealedSamples - before.concealedSamples)
                / Double(after.totalSamplesReceived - before.totalSamplesReceived)
        }

        var sent: OutgoingMediaStatistics? {
            call.pair.endpoint(.alice).peer.outgoingStatistics(call.microphones[0].transceiver)
        }
    }

    private static func concealed(
        _ loss: LossModel, seed: UInt64, isRedundant: Bool, hasPictures: Bool = false
    ) throws -> Double {
        let conditions = LinkConditions(delay: .milliseconds(20), jitter: .uniform(upTo: .milliseconds(3)), loss: loss)
        let listening = try Listening(seed: seed, conditions, isRedundant: isRedundant, hasPictures: hasPictures)
        listening.run(for: .seconds(20))
        let share = listening.concealedShare(in: .seconds(100))
        let sent = try #require(listening.sent)
        #expect((sent.copiesSent > 0) == isRedundant)
        let sound = listening.sound.statistics
        if MediaReport.isWanted {
            print(
                "loss", loss, "redundant", isRedundant, "pictures", hasPictures, "seed", seed, "concealed", share,
                "copies",
                sent.copiesSent, "of", sent.stream.packetsSent, "used",
                sound.fecPacketsReceived - sound.fecPacketsDiscarded, "target",
                listening.call.pair.endpoint(.alice).peer.availableOutgoingBitrate)
        }
        return share
    }

    @Test(
        "10 % of random loss: a third at most of what the codec's own copies leave is made up",
        arguments: [1, 2] as [UInt64])
    func randomLoss(seed: UInt64) throws {
        let without = try Self.concealed(.random(0.1), seed: seed, isRedundant: false)
        let with = try Self.concealed(.random(0.1), seed: seed, isRedundant: true)
        #expect(with < 0.005 && with < without / 3, "\(with) of \(without)")
    }

    /// Bursts are few in two minutes, and of all lengths: three calls tell more than one.
    @Test("2 % in bursts of eight packets: less is made up")
    func bursts() throws {
        let loss = LossModel.bursts(rate: 0.02, meanLength: 8)
        var (without, with) = (0.0, 0.0)
        for seed: UInt64 in 1...3 {
            without += try Self.concealed(loss, seed: seed, isRedundant: false)
            with += try Self.concealed(loss, seed: seed, isRedundant: true)
        }
        #expect(with < without * 4 / 5, "\(with) of \(without)")
    }

    @Test("Beside pictures it helps as much")
    func besidePictures() throws {
        let without = try Self.concealed(.random(0.1), seed: 3, isRedundant: false, hasPictures: true)
        let with = try Self.concealed(.random(0.1), seed: 3, isRedundant: true, hasPictures: true)
        #expect(with < 0.005 && with < without / 3, "\(with) of \(without)")
    }

    @Test("On a clean path nothing is repeated")
    func clean() throws {
        let listening = try Listening(
            seed: 1, LinkConditions(delay: .milliseconds(20)), isRedundant: true, hasPictures: true)
        listening.run(for: .seconds(30))
        #expect(try #require(listening.sent).copiesSent == 0)
        #expect(listening.sound.statistics.fecPacketsReceived == 0)
        #expect(listening.sound.statistics.concealedSamples < 4_800)
    }

    @Test("It ends when the losses do")
    func end() throws {
        let listening = try Listening(
            seed: 1, LinkConditions(delay: .milliseconds(20), loss: .random(0.1)), isRedundant: true)
        listening.run(for: .seconds(30))
        let during = try #require(listening.sent).copiesSent
        #expect(during > 1_000)
        for uplink in listening.call.uplinks {
            listening.call.pair.network.setConditions(LinkConditions(delay: .milliseconds(20)), on: uplink)
        }
        listening.run(for: .seconds(60))
        let after = try #require(listening.sent).copiesSent
        listening.run(for: .seconds(20))
        #expect(try #require(listening.sent).copiesSent == after)
        #expect(listening.concealedShare(in: .seconds(20)) < 0.001)
    }

    @Test("Where sound and pictures have no more than the least, nothing is repeated, whatever gets lost")
    func narrow() throws {
        let listening = try Listening(
            seed: 1, LinkConditions(bandwidth: .kilobits(110), delay: .milliseconds(20), loss: .random(0.05)),
            isRedundant: true, hasPictures: true)
        listening.run(for: .seconds(40))
        let before = try #require(listening.sent)
        listening.run(for: .seconds(30))
        let after = try #require(listening.sent)
        let share =
            Double(after.copiesSent - before.copiesSent)
            / Double(after.stream.packetsSent - before.stream.packetsSent)
        #expect(share < 0.1, "\(share)")
    }

    @Test("Copies are of what was sent, and belong where they say")
    func copies() throws {
        let listening = try Listening(
            seed: 4, LinkConditions(delay: .milliseconds(20), loss: .random(0.1)), isRedundant: true)
        listening.run(for: .seconds(30))
        #expect(listening.sound.wrongCopies == 0 && listening.sound.statistics.fecPacketsReceived > 1_000)
        #expect(listening.call.pair.endpoint(.bob).peer.mediaCounters == MediaCounters())
    }
}

/// Plays packets of sound by a jitter buffer, and compares copies with what they are copies of.
private final class PlayedSound: AudioPacketSink {
    private var buffer = AudioJitterBuffer()
    private var samples = [Int16](repeating: 0, count: 2 * AudioJitterBuffer.maximumOutputSamples)
    private let decoder: SilentDecoder
    private var known: RTPPayloadType?
    /// The first bytes of what came, by its timestamp.
    private var received: [UInt32: UInt8] = [:]
    private(set) var wrongCopies = 0

    init(hasForwardErrorCorrection: Bool) {
        decoder = SilentDecoder(hasForwardErrorCorrection: hasForwardErrorCorrection)
    }

    var statistics: AudioJitterBufferStatistics { buffer.statistics }
    var presentation: (timestamp: RTPTimestamp, time: Instant)? { nil }

    func receive(_ payload: RawSpan, _ packet: AudioPacketInfo) {
        if known == nil {
            known = packet.codec.payloadType
            buffer.setDecoder(decoder, for: packet.codec.payloadType, clockRate: 48_000)
        }
        note(payload, packet.timestamp.rawValue)
        buffer.insert(
            payload, sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp,
            payloadType: packet.codec.payloadType, arrival: packet.arrival)
    }

    func receiveCopy(_ payload: RawSpan, _ copy: AudioCopyInfo, in packet: AudioPacketInfo) {
        note(payload, packet.timestamp.rawValue &- copy.timestampOffset)
        buffer.insertCopy(
            payload, offset: copy.timestampOffset, place: copy.place, sequenceNumber: packet.sequenceNumber,
            timestamp: packet.timestamp, payloadType: packet.codec.payloadType, arrival: packet.arrival)
    }

    private func note(_ payload: RawSpan, _ timestamp: UInt32) {
        let byte = payload.byte(at: 1) ?? 0
        if let before = received.updateValue(byte, forKey: timestamp), before != byte { wrongCopies += 1 }
        if payload.byteCount != 80 { wrongCopies += 1 }
    }

    func reset() { buffer.reset() }
    func setExtraDelay(_ delay: TimeDelta) {}

    func play(at now: Instant) {
        _ = samples.withUnsafeMutableBufferPointer { buffer.render(into: $0, at: now) }
    }
}

/// 20 ms of silence for each packet.
private final class SilentDecoder: AudioDecoder {
    let sampleRate = 48_000
    let channels = 1
    private let hasForwardErrorCorrection: Bool

    init(hasForwardErrorCorrection: Bool) { self.hasForwardErrorCorrection = hasForwardErrorCorrection }

    func duration(of payload: RawSpan) -> Int? { 960 }

    func decode(_ payload: RawSpan, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        for index in 0..<960 { output[index] = 0 }
        return 960
    }

    func carriesPreviousPacket(_ payload: RawSpan) -> Bool { hasForwardErrorCorrection }

    func recoverPacket(before next: RawSpan, samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        for index in 0..<samples { output[index] = 0 }
        return samples
    }

    func conceal(samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? { nil }
    func reset() {}
}
