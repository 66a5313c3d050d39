public import RTCWire

/// Whether a microphone's echo cancellation removes what the loudspeaker plays.
///
/// A canceller is told when audio is heard. On a machine that is short of processor time, audio may be played or
/// recorded later than announced; the canceller then loses its hold, and the peer hears itself until it has learned
/// anew.
public enum EchoCancellation: Sendable, Hashable {
    /// There is none: no microphone is open, or it was opened without echo cancellation.
    case off
    /// Nothing of what is played is found in the microphone's audio.
    case holding
    /// What is played is found in the microphone's audio, since this time on the engine's clock.
    case lost(since: Instant)
}

extension EchoCancellation: Encodable {
    private enum CodingKeys: CodingKey {
        case state, since
    }

    /// Encodes `{"state": "lost", "since": 4711.25}`: the state is `off`, `holding` or `lost`, the time is in seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .off: try container.encode("off", forKey: .state)
        case .holding: try container.encode("holding", forKey: .state)
        case .lost(let since):
            try container.encode("lost", forKey: .state)
            try container.encode(Double(since.nanoseconds) / 1e9, forKey: .since)
        }
    }
}
