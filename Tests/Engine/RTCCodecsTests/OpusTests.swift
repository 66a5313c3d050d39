import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire
import Testing

@Suite("Opus and G.711")
struct OpusTests {
    private func encode(
        _ encoder: any AudioEncoder, _ producer: inout Tone, packets: Int
    ) throws -> [EncodedAudioFrame?] {
        try (0..<packets).map { number in
            let frame = try producer.played(encoder.samplesPerPacket)
            return try frame.samples.withUnsafeBufferPointer {
                try encoder.encode($0, timestamp: RTPTimestamp(UInt32(number * encoder.samplesPerPacket)))
            }
        }
    }

    private func decode(_ payload: [UInt8], _ decoder: any AudioDecoder) throws -> AudioFrame {
        var samples = [Int16](repeating: 0, count: 5_760 * decoder.channels)
        let count = try #require(
            samples.withUnsafeMutableBufferPointer { output in
                payload.withUnsafeBytes { decoder.decode(RawSpan(_unsafeBytes: $0), into: output) }
            })
        samples.removeLast(samples.count - count * decoder.channels)
        return AudioFrame(
            samples: samples, sampleRate: decoder.sampleRate, channels: decoder.channels, timestamp: .zero)
    }

    @Test("A tone keeps its frequency", arguments: ["opus", "PCMU", "PCMA"], [300.0, 440, 1_000, 2_500])
    func tone(name: String, frequency: Double) throws {
        let codec = try Codecs.named(name)
        let encoder = try CodecCatalog.system.makeAudioEncoder(for: codec)
        let decoder = try CodecCatalog.system.makeAudioDecoder(for: codec)
        var tone = Tone(frequency: frequency, sampleRate: encoder.sampleRate, channels: encoder.channels)
        var meter = FrequencyMeter()
        for packet in try encode(encoder, &tone, packets: 25) {
            let packet = try #require(packet)
            #expect(packet.duration == UInt32(encoder.samplesPerPacket))
            #expect(packet.level >= 12 && packet.level <= 18, "−\(packet.level) dBov")
            meter.append(try decode(packet.data, decoder))
        }
        let heard = try #require(meter.frequency())
        #expect(abs(heard - frequency) < 3, "\(heard) Hz")
    }

    @Test("Two channels stay apart when the receiver asks for stereo")
    func stereo() throws {
        var codec = try Codecs.named("opus")
        codec.formatParameters = "minptime=10;useinbandfec=1;stereo=1"
        let encoder = try CodecCatalog.system.makeAudioEncoder(
            for: codec, settings: AudioEncoderSettings(targetBitrate: .kilobits(128)))
        #expect(encoder.channels == 2)
        let decoder = try CodecCatalog.system.makeAudioDecoder(for: codec)
        var left = Tone(frequency: 400), right = Tone(frequency: 900)
        var meters = (FrequencyMeter(), FrequencyMeter())
        for number in 0..<30 {
            let a = try left.played(960).samples
            let b = try right.played(960).samples
            let both = zip(a, b).flatMap { [$0, $1] }
            let packet = try both.withUnsafeBufferPointer {
                try encoder.encode($0, timestamp: RTPTimestamp(UInt32(number * 960)))
            }
            let decoded = try decode(try #require(packet).data, decoder).samples
            func channel(_ first: Int) -> AudioFrame {
                let samples = stride(from: first, to: decoded.count, by: 2).map { decoded[$0] }
                return AudioFrame(samples: samples, sampleRate: 48_000, channels: 1, timestamp: .zero)
            }
            meters.0.append(channel(0))
            meters.1.append(channel(1))
        }
        #expect(abs(try #require(meters.0.frequency()) - 400) < 3)
        #expect(abs(try #require(meters.1.frequency()) - 900) < 3)
    }

    @Test("Keeps to its bitrate, and follows it", arguments: [16, 32, 64] as [Int64])
    func bitrate(kilobits: Int64) throws {
        let encoder = try CodecCatalog.system.makeAudioEncoder(for: Codecs.named("opus"))
        try encoder.configure(AudioEncoderSettings(targetBitrate: .kilobits(kilobits)))
        let random = SeededRandom(seed: 5)
        var bytes = 0
        for _ in 0..<200 {
            let noise = (0..<960).map { _ in Int16(truncatingIfNeeded: Int64(random.next(below: 8_000)) - 4_000) }
            bytes += try noise.withUnsafeBufferPointer {
                try encoder.encode($0, timestamp: RTPTimestamp(0))?.data.count ?? 0
            }
        }
        let measured = Double(bytes * 8) / 4_000
        #expect(measured > Double(kilobits) * 0.7 && measured < Double(kilobits) * 1.3, "\(measured) kbit/s")
    }

    @Test("A lost packet is recovered out of the next one")
    func recovers() throws {
        let codec = try Codecs.named("opus")
        let encoder = try CodecCatalog.system.makeAudioEncoder(
            for: codec, settings: AudioEncoderSettings(targetBitrate: .kilobits(24), expectedPacketLoss: 0.2))
        let decoder = try CodecCatalog.system.makeAudioDecoder(for: codec)
        // Something like a voice: what SILK codes best, and what carries the packet before.
        var position = 0.0
        var packets: [[UInt8]] = []
        var originals: [[Int16]] = []
        var low = Tone(frequency: 180, amplitude: 0.3), high = Tone(frequency: 540, amplitude: 0.1)
        for number in 0..<60 {
            let a = try low.played(960).samples
            let b = try high.played(960).samples
            position += 1
            let samples = zip(a, b).map { $0 + $1 }
            originals.append(samples)
            let packet = try samples.withUnsafeBufferPointer {
                try encoder.encode($0, timestamp: RTPTimestamp(UInt32(number * 960)))
            }
            packets.append(try #require(packet).data)
        }
        var recovered = 0
        var output = [Int16](repeating: 0, count: 5_760 * 2)
        for number in 0..<59 {
            // Every packet is decoded in its turn: those before shape what a copy becomes.
            let carries = packets[number + 1].withUnsafeBytes {
                decoder.carriesPreviousPacket(RawSpan(_unsafeBytes: $0))
            }
            guard number % 7 == 3, carries else {
                _ = try decode(packets[number], decoder)
                continue
            }
            let count = output.withUnsafeMutableBufferPointer { output in
                packets[number + 1].withUnsafeBytes {
                    decoder.recoverPacket(before: RawSpan(_unsafeBytes: $0), samples: 960, into: output)
                }
            }
            #expect(count == 960)
            let level = AudioLevel(of: Array(output[0..<1_920]))
            #expect(abs(Int(level.rawValue) - Int(AudioLevel(of: originals[number]).rawValue)) < 9, "packet \(number)")
            recovered += 1
        }
        #expect(recovered >= 4)
        // Without error correction nothing is carried.
        try encoder.configure(AudioEncoderSettings(forwardErrorCorrection: false))
        var tone = Tone(frequency: 200)
        for packet in try encode(encoder, &tone, packets: 20).dropFirst(3) {
            #expect(
                try !#require(packet).data.withUnsafeBytes {
                    decoder.carriesPreviousPacket(RawSpan(_unsafeBytes: $0))
                })
        }
    }

    @Test("A lost packet is made up from what came before it")
    func conceals() throws {
        let codec = try Codecs.named("opus")
        let encoder = try CodecCatalog.system.makeAudioEncoder(for: codec)
        let decoder = try CodecCatalog.system.makeAudioDecoder(for: codec)
        var tone = Tone(frequency: 300)
        for packet in try encode(encoder, &tone, packets: 20) { _ = try decode(try #require(packet).data, decoder) }
        var output = [Int16](repeating: 0, count: 5_760 * 2)
        let count = output.withUnsafeMutableBufferPointer { decoder.conceal(samples: 960, into: $0) }
        #expect(count == 960)
        #expect(AudioLevel(of: Array(output[0..<1_920])).rawValue < 25)
        // What the law has no memory for, it does not pretend.
        let law = try CodecCatalog.system.makeAudioDecoder(for: Codecs.named("PCMU"))
        #expect(output.withUnsafeMutableBufferPointer { law.conceal(samples: 160, into: $0) } == nil)
        decoder.reset()
        #expect(output.withUnsafeMutableBufferPointer { decoder.conceal(samples: 960, into: $0) } == 960)
        #expect(output[0..<1_920].allSatisfy { $0 == 0 })
    }

    @Test("Silence is left out when it may be, and sound comes back at once")
    func discontinuous() throws {
        let encoder = try CodecCatalog.system.makeAudioEncoder(
            for: Codecs.named("opus"), settings: AudioEncoderSettings(discontinuousTransmission: true))
        var tone = Tone(frequency: 300), silence = Tone(frequency: 300, amplitude: 0)
        #expect(try encode(encoder, &tone, packets: 20).allSatisfy { $0 != nil })
        let silent = try encode(encoder, &silence, packets: 100)
        #expect(silent.compactMap { $0 }.count < 40)
        #expect(silent.last??.hasVoice != true)
        #expect(try encode(encoder, &tone, packets: 2).last??.hasVoice == true)
    }

    @Test("A packet's duration is read without decoding it", arguments: [10, 20, 40, 60])
    func duration(packetTime: Int) throws {
        for name in ["opus", "PCMU"] {
            let codec = try Codecs.named(name)
            let encoder = try CodecCatalog.system.makeAudioEncoder(for: codec, packetTime: packetTime)
            let decoder = try CodecCatalog.system.makeAudioDecoder(for: codec)
            var tone = Tone(sampleRate: encoder.sampleRate)
            let packet = try #require(try encode(encoder, &tone, packets: 1).first ?? nil)
            let duration = packet.data.withUnsafeBytes { decoder.duration(of: RawSpan(_unsafeBytes: $0)) }
            #expect(duration == packetTime * decoder.sampleRate / 1_000)
        }
    }

    @Test("Settings and packets out of range are refused")
    func refuses() throws {
        let codec = try Codecs.named("opus")
        #expect(throws: CodecError.self) {
            _ = try CodecCatalog.system.makeAudioEncoder(for: codec, packetTime: 15)
        }
        let encoder = try CodecCatalog.system.makeAudioEncoder(for: codec)
        #expect(throws: CodecError.self) { try encoder.configure(AudioEncoderSettings(expectedPacketLoss: 2)) }
        #expect(throws: CodecError.self) { try encoder.configure(AudioEncoderSettings(complexity: 11)) }
        #expect(encoder.settings == AudioEncoderSettings())
        let short = [Int16](repeating: 0, count: 959)
        #expect(throws: CodecError.self) {
            try short.withUnsafeBufferPointer { _ = try encoder.encode($0, timestamp: RTPTimestamp(0)) }
        }
    }
}
