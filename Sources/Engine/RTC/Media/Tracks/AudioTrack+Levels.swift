public import RTCFrames
internal import Synchronization

extension AudioTrack {
    /// The audio level and voice activity of the track, local or remote, ten times per second.
    ///
    /// ```swift
    /// for await sound in track.audioLevels { meterView.show(sound.meter, highlighted: sound.isSpeaking) }
    /// ```
    ///
    /// No level is delivered while the track is disabled or muted, or has no audio. A slow reader receives only the
    /// newest level. The sequence ends with the track, and keeps it until then. Each access creates a new sequence,
    /// which makes the track's source run as a sink does.
    public var audioLevels: AsyncStream<AudioLevelReading> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AudioLevelReading.self, bufferingPolicy: .bufferingNewest(1))
        let listener = LevelListener(continuation)
        let id = ObjectIdentifier(listener)
        continuation.onTermination = { [weak core = core] _ in core?.remove(id) }
        core.add(.init(id: id, isSender: false) { listener.deliver($0) })
        return keeping(self, stream)
    }
}

/// Measures the levels of a track's audio, until the track releases it.
private final class LevelListener: Sendable {
    private struct State {
        var meter = SpeechMeter()
        var loudest: AudioLevel?
        var milliseconds = 0
    }

    private static let period = 100

    private let state = Mutex(State())
    private let continuation: AsyncStream<AudioLevelReading>.Continuation

    init(_ continuation: AsyncStream<AudioLevelReading>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }

    func deliver(_ frame: AudioFrame) {
        let level = AudioLevel(of: frame.samples)
        let length = Int(clamping: frame.duration.milliseconds)
        let news: AudioLevelReading? = state.withLock { state in
            var sound = state.meter.note(level, milliseconds: length)
            let loudest = min(state.loudest?.rawValue ?? 127, level.rawValue)
            state.loudest = loudest == level.rawValue ? level : state.loudest
            state.milliseconds += length
            guard state.milliseconds >= Self.period else { return nil }
            sound.level = state.loudest ?? level
            state.loudest = nil
            state.milliseconds = 0
            return sound
        }
        if let news { continuation.yield(news) }
    }
}
