import RTCMedia
import RTCWire
import Testing

@Suite("Audio jitter buffer")
struct AudioJitterBufferTests {
    @Test("Packets that come regularly are played as they are, with little delay")
    func regular() {
        var stream = AudioTestStream()
        for index: UInt32 in 0..<250 { stream.send(index) }
        stream.play(until: .seconds(4))
        #expect(stream.decoder.decodedPackets == Array(0..<UInt32(stream.decoder.decodedPackets.count)))
        #expect(stream.buffer.statistics.concealedSamples <= 960)
        #expect(stream.levels[100...].allSatisfy { $0 <= 60 })
        // 440 Hz at 8,000 moves by 460 between two samples at most.
        #expect(stream.largestStep() < 700)
    }

    @Test("200 ms of jitter are learned, and forgotten when the path is quiet again")
    func jitter() {
        var random = SplitMix(seed: 7)
        var stream = AudioTestStream()
        for index: UInt32 in 0..<1_000 { stream.send(index, delay: .milliseconds(Int64(random.next() % 200))) }
        for index: UInt32 in 1_000..<3_000 { stream.send(index) }
        stream.play(until: .seconds(10))
        let learned = stream.buffer.statistics.concealedSamples
        stream.play(until: .seconds(20))
        let concealed = stream.buffer.statistics.concealedSamples - learned
        #expect(concealed < 48_000 * 10 * 6 / 100, "under 6 % of what was played")
        #expect(stream.buffer.targetDelay > .milliseconds(120))
        stream.play(until: .seconds(59))
        #expect(stream.buffer.targetDelay < .milliseconds(60))
        #expect(stream.levels.suffix(100).allSatisfy { $0 < 90 })
        #expect(stream.buffer.statistics.removedSamplesForAcceleration > 0)
    }

    @Test("A burst of 300 ms that is lost: sound goes on, and the delay has not grown", arguments: [false, true])
    func lostBurst(concealsItself: Bool) {
        var stream = AudioTestStream(decoder: ToneDecoder(concealsItself: concealsItself))
        for index: UInt32 in 0..<500 where !(200..<215).contains(index) { stream.send(index) }
        stream.play(until: .seconds(9))
        #expect(stream.played.count > 48_000 * 88 / 10)
        let concealed = stream.buffer.statistics.concealedSamples
        #expect((48_000 * 25 / 100...48_000 * 36 / 100).contains(concealed), "\(concealed)")
        // Half a second later all is as before.
        #expect(stream.real[470..<880].allSatisfy { $0 })
        #expect(stream.levels[500...].allSatisfy { $0 <= 60 })
    }

    @Test("A burst of 300 ms that comes late: the delay that it leaves is gone within two seconds")
    func lateBurst() {
        var stream = AudioTestStream()
        for index: UInt32 in 0..<500 {
            let held = (200..<215).contains(index)
            stream.send(index, delay: held ? .milliseconds(Int64(305 - 20 * (index - 200))) : .milliseconds(5))
        }
        stream.play(until: .seconds(9))
        #expect(stream.levels[650...].allSatisfy { $0 <= 80 }, "\(stream.levels[650...].max() ?? 0)")
        #expect(stream.buffer.statistics.removedSamplesForAcceleration > 0)
        #expect(stream.largestStep() < 2_000)
    }

    @Test("Lost packets are recovered from the ones behind them")
    func forwardErrorCorrection() {
        var random = SplitMix(seed: 3)
        var stream = AudioTestStream(decoder: ToneDecoder(hasForwardErrorCorrection: true))
        var lost: [UInt32] = []
        for index: UInt32 in 0..<500 {
            if index > 10, index % 7 == 3, random.next() % 2 == 0 { lost.append(index) } else { stream.send(index) }
        }
        stream.play(until: .seconds(9))
        let due = lost.filter { $0 < 440 }
        #expect(stream.decoder.recoveredPackets.filter { $0 < 440 }.count >= due.count * 9 / 10)
        #expect(Set(stream.decoder.recoveredPackets).isSubset(of: Set(lost)))
        #expect(stream.buffer.statistics.packetsRecovered == stream.decoder.recoveredPackets.count)
    }

    @Test("10 % loss without help: the tone goes on without clicks", arguments: [48_000, 8_000])
    func concealment(sampleRate: Int) {
        var random = SplitMix(seed: 11)
        var stream = AudioTestStream(decoder: ToneDecoder(sampleRate: sampleRate, frequency: 400))
        for index: UInt32 in 0..<500 where random.next() % 10 != 0 { stream.send(index) }
        stream.play(until: .seconds(9))
        let rate = stream.frequency(of: sampleRate..<8 * sampleRate)
        #expect((385...415).contains(rate), "\(rate) Hz")
        #expect(stream.played.count >= sampleRate * 88 / 10)
        // A tone of 8,000 at full swing steps by 420 (48 kHz) or 2,500 (8 kHz).
        #expect(stream.largestStep() < (sampleRate == 8_000 ? 8_000 : 6_000))
    }

    @Test("Reordered and repeated packets are played once, in their order")
    func reordering() {
        var stream = AudioTestStream()
        for index: UInt32 in 0..<200 {
            stream.send(index, delay: index % 5 == 2 ? .milliseconds(38) : .milliseconds(5))
            if index % 9 == 4 { stream.send(index, delay: .milliseconds(9)) }
        }
        stream.play(until: .seconds(4))
        let decoded = stream.decoder.decodedPackets
        #expect(decoded == decoded.sorted())
        #expect(Set(decoded).count == decoded.count)
        #expect(decoded.count > 190)
    }

    @Test("Timestamps wrap around in mid-stream")
    func wrapAround() {
        var stream = AudioTestStream(firstTimestamp: .max - 48_000)
        for index: UInt32 in 0..<250 { stream.send(index) }
        stream.play(until: .seconds(4))
        #expect(stream.buffer.statistics.concealedSamples <= 960)
        #expect(stream.decoder.decodedPackets.count > 190)
    }

    @Test("A sender that is silent for a second (DTX) is followed by noise, then heard again at once")
    func discontinuousTransmission() {
        var stream = AudioTestStream()
        for index: UInt32 in 0..<100 { stream.send(index) }
        for index: UInt32 in 150..<300 { stream.send(index) }
        stream.play(until: .milliseconds(5_500))
        #expect(stream.played.count > 48_000 * 53 / 10)
        #expect(stream.real[320..<540].allSatisfy { $0 })
        #expect(stream.levels[400...].allSatisfy { $0 <= 60 })
    }

    @Test("A stream that begins anew with other timestamps is played again at once")
    func restart() {
        var stream = AudioTestStream()
        for index: UInt32 in 0..<100 { stream.send(index) }
        stream.play(until: .seconds(2))
        for index: UInt32 in 100..<200 {
            let arrival = Instant.zero + .milliseconds(20) * Int64(index)
            let timestamp = RTPTimestamp(0x9000_0000 &+ index * 960)
            stream.play(until: arrival - .zero)
            ToneDecoder.payload(index).withUnsafeBytes {
                stream.buffer.insert(
                    RawSpan(_unsafeBytes: $0), sequenceNumber: Int64(index) + 70_000, timestamp: timestamp,
                    payloadType: AudioTestStream.type, arrival: arrival)
            }
        }
        #expect(stream.decoder.decodedPackets.count > 190)
        #expect(stream.real.suffix(150).allSatisfy { $0 })
    }

    @Test("When nothing comes any more the sound fades, and then the noise", arguments: [false, true])
    func fadesToSilence(concealsItself: Bool) {
        var stream = AudioTestStream(decoder: ToneDecoder(concealsItself: concealsItself))
        for index: UInt32 in 0..<100 { stream.send(index) }
        stream.play(until: .seconds(2))
        let end = stream.played.count
        stream.play(until: .seconds(12))
        let after = stream.played[end...]
        func loudest(_ from: Int, _ to: Int) -> Int {
            after[(end + from * 48)..<(end + to * 48)].map { abs(Int($0)) }.max() ?? 0
        }
        // The tone does not come back when the codec's own concealment ends.
        #expect(loudest(300, 3_000) > 0 && loudest(300, 3_000) < 2_000, "\(loudest(300, 3_000))")
        #expect(loudest(6_500, 9_900) == 0)
        let concealed = stream.buffer.statistics.concealedSamples
        #expect(stream.buffer.statistics.silentConcealedSamples > concealed * 9 / 10)
        // And when it begins again it is heard at once.
        for index: UInt32 in 600..<700 { stream.send(index) }
        stream.play(until: .milliseconds(12_500))
        #expect(stream.played.suffix(4_800).contains { abs(Int($0)) > 6_000 })
    }

    @Test("Another stream begins with silence, the same decoders, and statistics that go on")
    func reset() {
        var stream = AudioTestStream()
        for index: UInt32 in 0..<100 { stream.send(index) }
        stream.play(until: .seconds(2))
        let received = stream.buffer.statistics.totalSamplesReceived
        let blocks = stream.real.count
        for _ in 0..<1_000 { stream.buffer.reset() }
        stream.play(until: .seconds(3))
        #expect(stream.real.count == blocks && stream.buffer.level == .zero)
        #expect(stream.buffer.statistics.totalSamplesReceived == received)
        for index: UInt32 in 150..<200 { stream.send(index) }
        stream.play(until: .milliseconds(3_900))
        #expect(stream.real.count > blocks + 80 && stream.real[(blocks + 5)...].allSatisfy { $0 })
    }

    @Test("Sound waits for the picture when it is told to")
    func extraDelay() {
        var stream = AudioTestStream()
        for index: UInt32 in 0..<500 { stream.send(index) }
        stream.play(until: .seconds(2))
        stream.buffer.extraDelay = .milliseconds(150)
        stream.play(until: .seconds(8))
        #expect(stream.levels.suffix(100).allSatisfy { $0 > 100 })
        #expect(stream.largestStep() < 2_000)
        stream.buffer.extraDelay = .zero
        stream.play(until: .milliseconds(9_900))
        #expect(stream.levels.suffix(10).allSatisfy { $0 < 80 })
    }

    @Test("Timestamps report what is heard")
    func timestamps() throws {
        var stream = AudioTestStream()
        for index: UInt32 in 0..<100 { stream.send(index) }
        stream.play(until: .seconds(1))
        let heard = try #require(stream.timestamps[60])
        let expected = 1_000 + 60 * 480
        #expect(abs(Int(heard.rawValue) - expected) <= 480 * 6)
    }

    @Test("The codec changes while too much is buffered: each block is of one codec, and channels stay where they are")
    func codecChange() {
        var buffer = AudioJitterBuffer()
        let types = (mono: RTPPayloadType(0), stereo: RTPPayloadType(111))
        buffer.setDecoder(SteadyDecoder(sampleRate: 8_000, values: [1_000]), for: types.mono, clockRate: 8_000)
        buffer.setDecoder(
            SteadyDecoder(sampleRate: 48_000, values: [3_000, -3_000]), for: types.stereo, clockRate: 48_000)
        for index: UInt32 in 0..<20 {
            let isMono = index < 10
            let timestamp = isMono ? index * 160 : 1_600 + (index - 10) * 960
            [UInt8(1)].withUnsafeBytes {
                buffer.insert(
                    RawSpan(_unsafeBytes: $0), sequenceNumber: Int64(index) + 70_000,
                    timestamp: RTPTimestamp(timestamp),
                    payloadType: isMono ? types.mono : types.stereo, arrival: .zero)
            }
        }
        let room = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 960)
        room.initialize(repeating: 0)
        defer { room.deallocate() }
        var blocks = [0, 0, 0]
        for block in 0..<24 {
            guard let output = buffer.render(into: room, at: .zero + .milliseconds(10) * Int64(block)) else { continue }
            blocks[output.channels] += 1
            let expected: [Int16] = output.channels == 1 ? [1_000] : [3_000, -3_000]
            let isExpected = (0..<output.sampleCount * output.channels).allSatisfy {
                room[$0] == expected[$0 % output.channels]
            }
            #expect(isExpected && output.sampleRate == (output.channels == 1 ? 8_000 : 48_000), "block \(block)")
        }
        #expect(blocks[1] > 5 && blocks[2] > 2, "\(blocks)")
        #expect(buffer.statistics.removedSamplesForAcceleration > 0)
    }

    @Test("Whatever arrives, memory and time stay bounded and sound comes")
    func hostile() {
        var random = SplitMix(seed: 99)
        var stream = AudioTestStream(decoder: ToneDecoder(hasForwardErrorCorrection: true))
        for step in 0..<20_000 {
            let kind = random.next() % 6
            let bytes = kind == 0 ? [UInt8](repeating: 0xFF, count: Int(random.next() % 3_000)) : ToneDecoder.payload(0)
            bytes.withUnsafeBytes {
                stream.buffer.insert(
                    RawSpan(_unsafeBytes: $0),
                    sequenceNumber: Int64(truncatingIfNeeded: random.next() % (kind == 1 ? .max : 100_000)),
                    timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: random.next())),
                    payloadType: RTPPayloadType(kind == 2 ? 3 : 111), arrival: stream.now)
            }
            if step % 10 == 0 { stream.play(until: stream.now - .zero + .milliseconds(10)) }
        }
        #expect(stream.played.count > 0)
        #expect(stream.buffer.level <= .seconds(11))
    }
}

/// A small generator for tests.
private struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return (value ^ (value >> 31)) >> 1
    }
}

/// A codec of packets of 20 ms, in which each channel has one value.
private final class SteadyDecoder: AudioDecoder {
    let sampleRate: Int
    let values: [Int16]

    init(sampleRate: Int, values: [Int16]) {
        self.sampleRate = sampleRate
        self.values = values
    }

    var channels: Int { values.count }

    func duration(of payload: RawSpan) -> Int? { sampleRate / 50 }

    func decode(_ payload: RawSpan, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        for index in 0..<sampleRate / 50 * channels { output[index] = values[index % channels] }
        return sampleRate / 50
    }

    func carriesPreviousPacket(_ payload: RawSpan) -> Bool { false }
    func recoverPacket(before next: RawSpan, samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        nil
    }
    func conceal(samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? { nil }
    func reset() {}
}
