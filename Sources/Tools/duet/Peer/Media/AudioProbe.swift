import DuetShell
import RTC
import RTCFrames
import Synchronization

/// Measures the audio of a received track.
final class AudioProbe: AudioSink {
    private struct State {
        var seconds = 0.0
        var hasBegun = false
        var meter = FrequencyMeter()
        var level = AudioLevel(of: [])
    }

    private let state = Mutex(State())
    private let listens: Bool
    private let onFirstAudio: @Sendable () -> Void

    /// - Parameters:
    ///   - listens: Whether to measure the audio.
    ///   - onFirstAudio: Called once, on the delivering thread.
    init(listens: Bool, onFirstAudio: @escaping @Sendable () -> Void) {
        self.listens = listens
        self.onFirstAudio = onFirstAudio
    }

    func deliver(_ frame: AudioFrame) {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            state.seconds += Double(frame.duration.nanoseconds) / 1e9
            if listens {
                state.meter.append(frame)
                state.level = AudioLevel(of: frame.samples)
            }
            return !state.hasBegun
        }
        if isFirst { onFirstAudio() }
    }

    /// `{"event":"audio", …}`
    func report(mid: String?) -> JSONValue {
        // Not on the delivering thread, since measuring takes milliseconds.
        let state = state.withLock { $0 }
        var members: JSONValue.Members = [
            "mid": mid, "seconds": state.seconds.json(places: 2), "level": -Int(state.level.rawValue),
        ]
        if state.meter.isFull, let frequency = state.meter.frequency() {
            members["frequency"] = frequency.json(places: 1)
        }
        return .event("audio", members)
    }
}
