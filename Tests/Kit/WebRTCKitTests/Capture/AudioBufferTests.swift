import RTCFrames
import RTCWire
import Testing

@testable import WebRTCKit

@Suite("What an audio device records")
struct RecordingBufferTests {
    private static func makeBuffer(rate: Double = 48_000, channels: Int = 1, latency: Double = 0) -> RecordingBuffer {
        var buffer = RecordingBuffer()
        buffer.setFormat(AudioDeviceFormat(sampleRate: rate, channels: channels, latency: latency))
        return buffer
    }

    @Test(
        "Pieces of any length, at any rate, become pieces of 10 ms at 48 kHz, and nothing is lost",
        arguments: [
            (48_000, 480), (48_000, 1), (48_000, 7), (48_000, 1_024), (48_000, 48_000), (44_100, 441), (44_100, 512),
            (22_050, 300), (8_000, 80), (16_000, 16_000), (96_000, 960), (192_000, 192_000), (44_099.7, 441),
        ])
    func pieces(rate: Double, length: Int) {
        var buffer = Self.makeBuffer(rate: rate)
        let total = Int(rate.rounded()) * 2
        var count = 0
        var frames: [AudioFrame] = []
        while count < total {
            let samples = (count..<count + length).map { Int16(clamping: ($0 % 200) * 50) }
            count += length
            let now = Instant(nanoseconds: 10_000_000_000 + Int64(Double(count) / rate * 1e9))
            frames += samples.withUnsafeBufferPointer { buffer.append($0, at: now) } ?? []
        }
        #expect(frames.allSatisfy { $0.samples.count == 480 && $0.sampleRate == 48_000 && $0.channels == 1 })
        let seconds = Double(count) / rate
        #expect(abs(Double(frames.count) - seconds * 100) <= 3)
        // Evenly in time, and about when they came.
        for (first, second) in zip(frames, frames.dropFirst()) {
            #expect(abs((second.timestamp - first.timestamp).microseconds - 10_000) < 1_500)
        }
        if let first = frames.first {
            #expect(abs((first.timestamp - .init(nanoseconds: 10_000_000_000)).milliseconds) < 25)
        }
    }

    @Test("Of two channels both are kept, and of more the first two")
    func channels() throws {
        for channels in [1, 2, 6] {
            var buffer = Self.makeBuffer(channels: channels)
            let samples = (0..<480).flatMap { index in (0..<channels).map { Int16(index + 1_000 * $0) } }
            let frames = try #require(
                samples.withUnsafeBufferPointer { buffer.append($0, at: Instant(nanoseconds: 1_000_000_000)) })
            let frame = try #require(frames.first)
            #expect(frame.channels == min(2, channels) && frame.samplesPerChannel == 480)
            #expect(frame.samples[frame.channels * 7] == 7)
            if channels > 1 { #expect(frame.samples[15] == 1_007) }
        }
    }

    @Test("The latency that a device tells makes its sound so much older")
    func latency() throws {
        for (latency, expected) in [(0.03, -40), (0, -10), (-5, -10), (.nan, -10), (1e9, -2_010)] as [(Double, Int64)] {
            var buffer = Self.makeBuffer(latency: latency)
            let frames = [Int16](repeating: 0, count: 480).withUnsafeBufferPointer {
                buffer.append($0, at: Instant(nanoseconds: 9_000_000_000))
            }
            let frame = try #require(frames?.first)
            #expect((frame.timestamp - Instant(nanoseconds: 9_000_000_000)).milliseconds == expected)
        }
    }

    @Test("What a device delivered before a pause is not continued after it")
    func pause() throws {
        var buffer = Self.makeBuffer()
        let loud = [Int16](repeating: 9_000, count: 300)
        let quiet = [Int16](repeating: 10, count: 480)
        #expect(loud.withUnsafeBufferPointer { buffer.append($0, at: Instant(nanoseconds: 1_000_000_000)) }?.count == 0)
        let frames = quiet.withUnsafeBufferPointer { buffer.append($0, at: Instant(nanoseconds: 9_000_000_000)) }
        #expect(try #require(frames?.first).samples == quiet)
        #expect(frames?.count == 1)
    }

    @Test(
        "A rate or a number of channels that cannot be used is refused",
        arguments: [
            (0, 1), (-48_000, 1), (7_999, 1), (192_001, 1), (.nan, 1), (.infinity, 1), (1e300, 1), (48_000, 0),
            (48_000, -1), (48_000, 65), (48_000, .max),
        ] as [(Double, Int)])
    func formats(rate: Double, channels: Int) {
        #expect(AudioDeviceFormat(sampleRate: rate, channels: channels, latency: 0) == nil)
        var buffer = Self.makeBuffer(rate: rate, channels: channels)
        #expect([Int16](repeating: 0, count: 480).withUnsafeBufferPointer { buffer.append($0, at: .zero) } == nil)
        #expect(buffer.counts == .init(taken: 0, refused: 1))
    }

    @Test("A piece that is empty, too long, or no whole number of samples is refused, and the next one taken")
    func oddPieces() {
        var buffer = Self.makeBuffer(channels: 2)
        for count in [0, 1, 481, 96_002] {
            #expect(
                [Int16](repeating: 0, count: count).withUnsafeBufferPointer { buffer.append($0, at: .zero) } == nil)
        }
        #expect([Int16](repeating: 0, count: 960).withUnsafeBufferPointer { buffer.append($0, at: .zero) }?.count == 1)
        #expect(buffer.counts == .init(taken: 1, refused: 4))
    }
}

@Suite("What an audio device plays")
struct PlayoutBufferTests {
    private static func makeBuffer(rate: Double = 48_000, channels: Int = 1) -> PlayoutBuffer {
        var buffer = PlayoutBuffer()
        buffer.setFormat(AudioDeviceFormat(sampleRate: rate, channels: channels, latency: 0))
        return buffer
    }

    private static func frame(_ value: Int16, samples: Int = 480, channels: Int = 1) -> AudioFrame {
        AudioFrame(
            samples: [Int16](repeating: value, count: samples * channels), sampleRate: 48_000, channels: channels,
            timestamp: .zero)
    }

    private static func read(_ count: Int, from buffer: inout PlayoutBuffer) -> (samples: [Int16], isSound: Bool) {
        var samples = [Int16](repeating: 77, count: count)
        let isSound = samples.withUnsafeMutableBufferPointer { buffer.read(into: $0) }
        return (samples, isSound)
    }

    @Test("What was received is played once, in order, whatever the device asks for at once")
    func order() {
        var buffer = Self.makeBuffer()
        var played: [Int16] = []
        for value in 1...50 as ClosedRange<Int16> {
            buffer.append(Self.frame(value))
            played += Self.read([100, 480, 860][Int(value % 3)], from: &buffer).samples
        }
        let sound = played.filter { $0 != 0 }
        #expect(sound == sound.sorted() && sound.count >= 48 * 480)
    }

    @Test("Where nothing waits there is silence")
    func silence() {
        var buffer = Self.makeBuffer()
        #expect(Self.read(480, from: &buffer) == ([Int16](repeating: 0, count: 480), false))
        buffer.append(Self.frame(5, samples: 480))
        let (samples, isSound) = Self.read(600, from: &buffer)
        #expect(isSound && samples == [Int16](repeating: 5, count: 480) + [Int16](repeating: 0, count: 120))
        #expect(buffer.missing == 600)
    }

    @Test("A device that does not ask makes nothing grow, and hears what is newest when it asks again")
    func stalled() {
        var buffer = Self.makeBuffer()
        for value in 1...1_000 as ClosedRange<Int16> { buffer.append(Self.frame(value)) }
        #expect(buffer.dropped > 980 * 480)
        let samples = Self.read(480, from: &buffer).samples
        #expect(samples.allSatisfy { $0 > 985 })
    }

    @Test("A device that asks for half a second at once gets all of it")
    func largeRequests() {
        var buffer = Self.makeBuffer()
        _ = Self.read(24_000, from: &buffer)
        for _ in 0..<10 {
            for _ in 0..<50 { buffer.append(Self.frame(3)) }
            #expect(Self.read(24_000, from: &buffer).samples.allSatisfy { $0 == 3 })
        }
        #expect(buffer.dropped == 0)
    }

    @Test("It is converted to the device's rate and channels; channels beyond the second are silent")
    func conversion() {
        var buffer = Self.makeBuffer(rate: 24_000, channels: 4)
        for _ in 0..<5 { buffer.append(Self.frame(1_000, channels: 2)) }
        let samples = Self.read(4 * 400, from: &buffer).samples
        for index in 200..<400 {
            #expect(abs(Int(samples[4 * index]) - 1_000) < 20 && abs(Int(samples[4 * index + 1]) - 1_000) < 20)
            #expect(samples[4 * index + 2] == 0 && samples[4 * index + 3] == 0)
        }
    }

    @Test("A device in a form that cannot be used, and an odd buffer, get silence")
    func unusable() {
        var buffer = Self.makeBuffer(rate: 1)
        buffer.append(Self.frame(9))
        #expect(Self.read(480, from: &buffer) == ([Int16](repeating: 0, count: 480), false))
        var stereo = Self.makeBuffer(channels: 2)
        stereo.append(Self.frame(9))
        #expect(Self.read(3, from: &stereo) == ([0, 0, 0], false))
        #expect(Self.read(0, from: &stereo) == ([], false))
        #expect(Self.read(2, from: &stereo) == ([9, 9], true))
    }
}
