import RTCFrames
import RTCMediaFiles
import RTCWire
import Testing

@Suite("WAV files")
struct WAVFileTests {
    private func file(_ sampleRate: Int, _ channels: Int, finished: Bool = true) throws -> MemoryFile {
        let file = MemoryFile()
        var writer = WAVWriter(file)
        var tone = Tone(frequency: 440, sampleRate: sampleRate, channels: channels)
        for _ in 0..<50 { try writer.write(try tone.played(sampleRate / 100)) }
        if finished { try writer.finish() }
        return file
    }

    @Test("What was written is read again", arguments: [8_000, 44_100, 48_000], [1, 2])
    func roundTrip(sampleRate: Int, channels: Int) throws {
        for finished in [true, false] {
            let bytes = try file(sampleRate, channels, finished: finished).bytes
            var reader = try WAVReader(MemoryFile(bytes, longestRead: 1_001))
            #expect(reader.sampleRate == sampleRate && reader.channels == channels)
            var tone = Tone(frequency: 440, sampleRate: sampleRate, channels: channels)
            for _ in 0..<50 {
                let read = try #require(try reader.nextFrame(samplesPerChannel: sampleRate / 100, at: .zero))
                #expect(read.samples == (try tone.played(sampleRate / 100).samples))
            }
            #expect(try reader.nextFrame(samplesPerChannel: 10, at: .zero) == nil)
        }
    }

    private func header(
        tag: Int = 1, channels: Int = 1, rate: Int = 8_000, bits: Int = 16, extra: [UInt8] = [], dataSize: Int,
        before: [UInt8] = []
    ) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        return Array("RIFF".utf8) + little(0, 4) + Array("WAVE".utf8) + before + Array("fmt ".utf8)
            + little(16 + extra.count, 4) + little(tag, 2) + little(channels, 2) + little(rate, 4) + little(0, 4)
            + little(0, 2) + little(bits, 2) + extra + Array("data".utf8) + little(dataSize, 4)
    }

    @Test("Every kind of sample becomes 16 bits")
    func encodings() throws {
        func read(_ bytes: [UInt8]) throws -> [Int16]? {
            var reader = try WAVReader(MemoryFile(bytes))
            return try reader.nextFrame(samplesPerChannel: 8, at: .zero)?.samples
        }
        #expect(try read(header(bits: 8, dataSize: 3) + [0, 128, 255]) == [-32_768, 0, 32_512])
        #expect(try read(header(bits: 24, dataSize: 6) + [9, 0x34, 0x12, 0, 0, 0x80]) == [0x1234, -32_768])
        #expect(try read(header(bits: 32, dataSize: 4) + [9, 9, 0x34, 0x12]) == [0x1234])
        let floats: [UInt8] = [0, 0, 0, 0x3F, 0, 0, 0x80, 0xC0, 0, 0, 0xC0, 0x7F]  // 0.5, −4, not a number
        #expect(try read(header(tag: 3, bits: 32, dataSize: 12) + floats) == [16_384, -32_768, 0])
        let extensible: [UInt8] = [22, 0, 16, 0, 4, 0, 0, 0, 1, 0] + [UInt8](repeating: 0, count: 14)
        #expect(try read(header(tag: 0xFFFE, extra: extensible, dataSize: 2) + [1, 2]) == [0x0201])
        // Chunks that nobody knows, of an odd size, are passed over; a size that lies ends with the file.
        let odd: [UInt8] = Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
        #expect(try read(header(dataSize: 1_000, before: odd) + [1, 2, 3]) == [0x0201])
    }

    @Test("Plays again from the beginning when told to, but not an empty file")
    func loops() throws {
        var reader = try WAVReader(MemoryFile(header(dataSize: 4) + [1, 0, 2, 0]), loops: true)
        #expect(try reader.nextFrame(samplesPerChannel: 5, at: .zero)?.samples == [1, 2, 1, 2, 1])
        var empty = try WAVReader(MemoryFile(header(dataSize: 0)), loops: true)
        #expect(try empty.nextFrame(samplesPerChannel: 5, at: .zero) == nil)
    }

    @Test("What cannot be read is told in one sentence")
    func refuses() {
        let bad: [(bytes: [UInt8], reason: String)] = [
            ([], "no WAV file"), (Array("RIFF1234AVI ".utf8), "no WAV file"),
            (Array("RIFF1234WAVE".utf8), "data is missing"),
            (Array("RIFF1234WAVEdata".utf8) + [1, 0, 0, 0], "fmt is missing"),
            (Array("RIFF1234WAVELIST".utf8) + [255, 255, 255, 255], "data is missing"),
            (Array("RIFF1234WAVEfmt ".utf8) + [2, 0, 0, 0, 1, 0], "too short"),
            (header(channels: 6, dataSize: 0), "6 channels"), (header(channels: 0, dataSize: 0), "0 channels"),
            (header(rate: 0, dataSize: 0), "samples a second"),
            (header(rate: 4_000_000_000, dataSize: 0), "samples a second"),
            (header(tag: 2, bits: 4, dataSize: 0), "format 2"), (header(bits: 12, dataSize: 0), "12 bits"),
        ]
        for (bytes, reason) in bad {
            #expect {
                _ = try WAVReader(MemoryFile(bytes))
            } throws: { error in
                (error as? MediaFileError)?.message.contains(reason) == true
            }
        }
    }

    @Test("Damaged files never crash")
    func damaged() throws {
        let whole = Array(try file(8_000, 1).bytes.prefix(400))
        let random = SeededRandom(seed: 22)
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<3 { bytes[Int(random.next(below: 48))] = UInt8(truncatingIfNeeded: random.next()) }
            guard var reader = try? WAVReader(MemoryFile(bytes), loops: true) else { continue }
            _ = try? reader.nextFrame(samplesPerChannel: 480, at: .zero)
        }
    }

    @Test("A recording keeps the format of its beginning")
    func converts() throws {
        let file = MemoryFile()
        let recorder = AudioRecorder(file)
        var first = Tone(frequency: 440, sampleRate: 48_000, channels: 2),
            second = Tone(frequency: 440, sampleRate: 8_000)
        for _ in 0..<20 { recorder.deliver(try first.played(480)) }
        for _ in 0..<50 { recorder.deliver(try second.played(80)) }
        try recorder.finish()
        var reader = try WAVReader(file)
        var meter = FrequencyMeter()
        while let frame = try reader.nextFrame(samplesPerChannel: 480, at: .zero) {
            #expect(frame.sampleRate == 48_000 && frame.channels == 2)
            meter.append(frame)
        }
        #expect(abs(try #require(meter.frequency()) - 440) < 1)
    }
}
