import Dispatch
import RTC
import RTCFrames
import RTCWire
import Testing

@testable import WebRTCKit

@Suite("How long an audio device takes to play")
struct PlayoutDelayTests {
    /// A device that requests buffers at its own times, in virtual time. Each frame has a value of its own, so that it is
    /// known when it is heard.
    private struct Device {
        static let rate = 48_000
        var mixer = PlayoutMixer()
        let track = ObjectIdentifier(AudioTrack.self)
        let buffer: Int
        var latency: TimeDelta
        private(set) var now = Instant(nanoseconds: 7_000_000_000)
        private var nextRead: Instant
        private var frames = 0
        private var last: Int16 = 0
        /// The delays of the frames that were heard, in order.
        private(set) var heard: [TimeDelta] = []

        init(buffer: Int, phase: Int64, latency: Int64) {
            self.buffer = buffer
            self.latency = .milliseconds(latency)
            nextRead = now + .milliseconds(phase)
            mixer.add(track)
            setLatency(latency)
        }

        mutating func setLatency(_ milliseconds: Int64) {
            latency = .milliseconds(milliseconds)
            mixer.setFormat(
                AudioDeviceFormat(
                    sampleRate: Double(Self.rate), channels: 1, latency: Double(milliseconds) / 1_000))
        }

        mutating func run(seconds: Int) {
            for _ in 0..<seconds * 100 {
                while nextRead <= now { read() }
                frames += 1
                mixer.append(
                    AudioFrame(
                        samples: [Int16](repeating: Self.value(frames), count: 480), sampleRate: Self.rate, channels: 1,
                        timestamp: now), of: track)
                now += .milliseconds(10)
            }
        }

        private static func value(_ frame: Int) -> Int16 { Int16(1_000 + frame) }

        private mutating func read() {
            var samples = [Int16](repeating: 0, count: buffer)
            let time = nextRead
            _ = samples.withUnsafeMutableBufferPointer { mixer.read(into: $0, at: time) }
            for (index, sample) in samples.enumerated() where sample != last {
                // Between two frames there may be seams.
                if sample == last + 1, last > 1_000 {
                    let delivered = Instant(nanoseconds: 7_000_000_000) + .milliseconds(Int64(sample - 1_001) * 10)
                    let offset = TimeDelta.nanoseconds(Int64(index) * 1_000_000_000 / Int64(Self.rate))
                    heard.append(time + offset + latency - delivered)
                }
                last = sample
            }
            nextRead = time + .nanoseconds(Int64(buffer) * 1_000_000_000 / Int64(Self.rate))
        }

        /// The mean delay of the frames heard last.
        var truth: TimeDelta {
            let last = heard.suffix(50)
            return last.reduce(TimeDelta.zero) { $0 + $1 } / Int64(max(last.count, 1))
        }
    }

    @Test(
        "What it says is when frames are heard, whatever its buffers and its latency",
        arguments: [128, 480, 512, 1_024, 4_096], [0, 40, 150, 300] as [Int64])
    func delay(buffer: Int, latency: Int64) throws {
        for phase: Int64 in [0, 3, 9] {
            var device = Device(buffer: buffer, phase: phase, latency: latency)
            #expect(device.mixer.playoutDelay(of: device.track) == nil)
            device.run(seconds: 5)
            let said = try #require(device.mixer.playoutDelay(of: device.track))
            #expect(device.heard.count > 100)
            #expect(abs((said - device.truth).milliseconds) <= 12, "\(said.milliseconds), \(device.truth.milliseconds)")
        }
    }

    @Test("Another latency alone is said within a quarter of a second, and nothing that waits is lost")
    func otherLatency() throws {
        var device = Device(buffer: 480, phase: 3, latency: 20)
        device.run(seconds: 3)
        let (before, counts) = (try #require(device.mixer.playoutDelay(of: device.track)), device.mixer.counts)
        device.setLatency(200)
        #expect(device.mixer.playoutDelay(of: device.track) == before)
        device.run(seconds: 1)
        let after = try #require(device.mixer.playoutDelay(of: device.track))
        #expect(abs((after - before).milliseconds - 180) < 10)
        #expect(device.mixer.counts == counts)
        // At another rate, and without a device, it begins anew.
        device.mixer.setFormat(AudioDeviceFormat(sampleRate: 44_100, channels: 1, latency: 0))
        #expect(device.mixer.playoutDelay(of: device.track) == nil)
        device.mixer.setFormat(nil)
        device.run(seconds: 1)
        #expect(device.mixer.playoutDelay(of: device.track) == nil)
    }

    @Test("A device that stands still does not count as slower and slower")
    func stands() throws {
        var device = Device(buffer: 480, phase: 3, latency: 20)
        device.run(seconds: 2)
        for frame in 0..<500 {
            let time = device.now + .milliseconds(Int64(frame) * 10)
            device.mixer.append(
                AudioFrame(
                    samples: [Int16](repeating: 1, count: 480), sampleRate: 48_000, channels: 1, timestamp: time),
                of: device.track)
        }
        #expect(try #require(device.mixer.playoutDelay(of: device.track)) < .milliseconds(150))
    }

    @Test("The kit's link measures it on the engine's clock")
    func link() throws {
        let link = AudioDeviceLink(queue: DispatchQueue(label: "device"))
        let track = ObjectIdentifier(AudioTrack.self)
        link.setOutputFormat(AudioDeviceFormat(sampleRate: 48_000, channels: 1, latency: 0.1))
        link.addPlayer(track)
        var samples = [Int16](repeating: 0, count: 480)
        samples.withUnsafeMutableBufferPointer { _ = link.getPlayoutSamples($0) }
        #expect(link.playoutDelay(of: track) == nil)
        link.play(AudioFrame(samples: samples, sampleRate: 48_000, channels: 1, timestamp: MediaClock.now), of: track)
        let delay = try #require(link.playoutDelay(of: track))
        #expect((100...110).contains(delay.milliseconds))
        link.removePlayer(track)
        #expect(link.playoutDelay(of: track) == nil)
    }
}
