import RTC
import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire
import Synchronization
import Testing

/// Waits until `condition` holds.
///
/// - Returns: Whether it came to hold in time.
func eventually(within seconds: Double = 20, _ condition: () async -> Bool) async -> Bool {
    let end = MediaClock.now + .milliseconds(Int64(seconds * 1_000))
    while MediaClock.now < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return await condition()
}

/// Reads the test pictures that a track delivers.
final class PictureReader: VideoSink {
    struct Seen: Sendable {
        var readings: [TestPattern.Reading] = []
        var unreadable = 0
        var sizes: [[Int]] = []
        var last: VideoFrame?
    }

    private let state = Mutex(Seen())

    func deliver(_ frame: VideoFrame) {
        let reading = TestPattern.read(from: frame.buffer)
        state.withLock { state in
            if let reading { state.readings.append(reading) } else { state.unreadable += 1 }
            state.sizes.append([frame.width, frame.height])
            state.last = frame
        }
    }

    var seen: Seen { state.withLock { $0 } }
    var count: Int { state.withLock { $0.sizes.count } }

    /// Waits for so many readable pictures more than there are.
    func waitForReadings(_ count: Int) async -> Bool {
        let wanted = seen.readings.count + count
        return await eventually { self.seen.readings.count >= wanted }
    }

    func waitForFrames(_ count: Int) async -> Bool {
        let wanted = self.count + count
        return await eventually { self.count >= wanted }
    }
}

/// Listens to the tone that a track delivers.
final class ToneListener: AudioSink {
    private struct State {
        var meter = FrequencyMeter()
        var frames = 0
        var last: AudioFrame?
    }

    private let state = Mutex(State())

    func deliver(_ frame: AudioFrame) {
        state.withLock { state in
            state.meter.append(frame)
            state.frames += 1
            state.last = frame
        }
    }

    /// What is heard. Reckoned outside the lock, which the play-out's thread waits for.
    var frequency: Double? {
        let meter = state.withLock { $0.meter }
        return meter.isFull ? meter.frequency() : nil
    }

    /// Whether the last piece of sound is silence, or nearly.
    var isQuiet: Bool { last.map { $0.samples.allSatisfy { abs(Int($0)) < 64 } } ?? false }

    var frames: Int { state.withLock { $0.frames } }
    var last: AudioFrame? { state.withLock { $0.last } }

    /// Waits until a tone of this frequency is heard.
    func waitForTone(_ frequency: Double) async -> Bool {
        await eventually {
            let meter = self.state.withLock { $0.meter }
            return meter.isFull && meter.share(of: frequency) > 0.6
        }
    }
}

/// The transceivers whose tracks the other side sends, as events tell of them.
final class IncomingTracks: Sendable {
    private let state = Mutex<[(transceiver: RTPTransceiver, streams: [String])]>([])

    init(_ connection: PeerConnection) {
        let events = connection.events
        Task { [weak self] in
            for await case .track(let transceiver, let streams) in events {
                self?.state.withLock { $0.append((transceiver, streams)) }
            }
        }
    }

    var all: [(transceiver: RTPTransceiver, streams: [String])] { state.withLock { $0 } }

    func transceiver(_ kind: MediaKind) async -> RTPTransceiver? {
        _ = await eventually { self.all.contains { $0.transceiver.kind == kind } }
        return all.first { $0.transceiver.kind == kind }?.transceiver
    }

    func video() async throws -> VideoTrack {
        try #require(await transceiver(.video)?.receiver.track as? VideoTrack)
    }

    func audio() async throws -> AudioTrack {
        try #require(await transceiver(.audio)?.receiver.track as? AudioTrack)
    }
}

extension VideoTrack {
    /// A test picture, small so that tests are quick.
    static func test(width: Int = 320, height: Int = 192, framesPerSecond: Double = 20) -> VideoTrack {
        VideoTrack(
            source: PacedVideoSource(TestPattern(width: width, height: height), framesPerSecond: framesPerSecond))
    }
}

extension AudioTrack {
    static func tone(_ frequency: Double, sampleRate: Int = 48_000, channels: Int = 1) -> AudioTrack {
        AudioTrack(source: PacedAudioSource(Tone(frequency: frequency, sampleRate: sampleRate, channels: channels)))
    }
}

extension LoopbackPair {
    /// Calls with one codec of each kind.
    static func media(_ names: [String] = []) throws -> LoopbackPair {
        try LoopbackPair { configuration in
            guard !names.isEmpty else { return }
            configuration.media.codecs = CodecCatalog.system.codecs.map(\.codec).filter { names.contains($0.name) }
        }
    }

    static func isAvailable(_ name: String) -> Bool { CodecCatalog.system.codecs.contains { $0.codec.name == name } }
}
