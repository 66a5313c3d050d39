import RTCFrames
import RTCWire
import Testing

@testable import WebRTCKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A device whose clock is not the network's")
struct PlayoutClockTests {
    /// Sound in pieces of 10 ms on one clock, and a device that takes pieces by another one.
    private struct Call {
        static let rate = 8_000
        var buffer = PlayoutBuffer()
        var largestStep = 0
        var largestStore = 0
        private var time = 0.0
        private var nextRead = 0.0
        private var sent = 0
        private var last: Int16 = 0

        init() {
            buffer.setFormat(AudioDeviceFormat(sampleRate: Double(Self.rate), channels: 1, latency: 0))
        }

        /// 300 Hz, and a quieter 425 Hz: no two samples in a row differ by more than 2,100.
        static func sample(_ index: Int) -> Int16 {
            let angle = 2 * Double.pi * Double(index % rate) / Double(rate)
            return Int16(6_000 * sin(300 * angle) + 2_000 * sin(425 * angle))
        }

        private mutating func look(at samples: UnsafeBufferPointer<Int16>) {
            var (step, last, index) = (largestStep, Int(last), 0)
            while index < samples.count {
                step = max(step, abs(Int(samples[index]) - last))
                last = Int(samples[index])
                index += 1
            }
            (largestStep, self.last) = (step, Int16(last))
        }

        mutating func run(
            seconds: Double, piece: Int, partsPerMillion: Double, delivers: Bool = true, plays: Bool = true
        ) {
            let end = time + seconds
            let table = (0..<Self.rate).map(Self.sample)
            if plays { nextRead = max(nextRead, time) }
            let period = Double(piece) / Double(Self.rate) / (1 + partsPerMillion * 1e-6)
            var samples = [Int16](repeating: 0, count: piece)
            while time < end {
                if delivers {
                    let start = sent % Self.rate
                    let piece = Array(table[start..<start + Self.rate / 100])
                    buffer.append(AudioFrame(samples: piece, sampleRate: Self.rate, channels: 1, timestamp: .zero))
                }
                sent += Self.rate / 100
                time += 0.01
                while plays, nextRead < time {
                    nextRead += period
                    _ = samples.withUnsafeMutableBufferPointer { buffer.read(into: $0) }
                    samples.withUnsafeBufferPointer { look(at: $0) }
                    largestStore = max(largestStore, buffer.waitingSamples)
                }
            }
        }
    }

    @Test(
        "±200 ppm for an hour: no click, nothing dropped, nothing missing, and no delay that grows",
        arguments: [-200.0, 200])
    func drift(partsPerMillion: Double) {
        var call = Call()
        call.run(seconds: 3, piece: 128, partsPerMillion: 0)
        let missing = call.buffer.missing
        call.largestStep = 0
        call.run(seconds: 3_600, piece: 128, partsPerMillion: partsPerMillion)
        #expect(call.largestStep < 2_700, "\(call.largestStep)")
        #expect(call.buffer.dropped == 0 && call.buffer.missing == missing)
        #expect(call.largestStore < Call.rate * 65 / 1_000, "\(call.largestStore)")
        // 720 ms in an hour, and no more than is needed.
        let stretched = call.buffer.stretched * 1_000 / Call.rate
        #expect((680...900).contains(stretched), "\(stretched) ms")
    }

    @Test("Sound that ceases fades, and so does what comes after it")
    func fades() {
        var call = Call()
        call.run(seconds: 2, piece: 80, partsPerMillion: 0)
        call.run(seconds: 0.503, piece: 80, partsPerMillion: 0, delivers: false)
        #expect(call.buffer.missing > Call.rate / 4)
        call.run(seconds: 1, piece: 80, partsPerMillion: 0)
        #expect(call.largestStep < 2_700, "\(call.largestStep)")
    }

    @Test("What a device that stood still has missed is left out without a click")
    func stoodStill() {
        var call = Call()
        call.run(seconds: 2, piece: 80, partsPerMillion: 0)
        call.run(seconds: 0.737, piece: 80, partsPerMillion: 0, plays: false)
        call.run(seconds: 2, piece: 80, partsPerMillion: 0)
        #expect(call.buffer.dropped > Call.rate / 2)
        #expect(call.largestStep < 2_700, "\(call.largestStep)")
    }

    @Test("A store that is too large by much comes down in a second or two")
    func surplus() {
        var call = Call()
        call.run(seconds: 2, piece: 80, partsPerMillion: 0)
        call.run(seconds: 0.08, piece: 80, partsPerMillion: 0, plays: false)
        #expect(call.buffer.waitingSamples > Call.rate * 80 / 1_000)
        call.run(seconds: 4, piece: 80, partsPerMillion: 0)
        #expect(call.buffer.dropped == 0)
        #expect(call.buffer.waitingSamples < Call.rate * 50 / 1_000, "\(call.buffer.waitingSamples)")
        #expect(call.largestStep < 2_700, "\(call.largestStep)")
    }
}
