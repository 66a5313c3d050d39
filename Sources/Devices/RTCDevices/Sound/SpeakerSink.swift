/// The sinks that play audio on Linux, the best first: only the server knows the output that the person chose for all
/// programs.
enum SpeakerSink: CaseIterable {
    /// PulseAudio, or PipeWire in its place.
    case pulse
    case pipeWire
    /// The sound card itself, which no other program can use meanwhile.
    case card

    /// The GStreamer element, with a buffer of 60 ms if it can be set.
    var element: String {
        let buffer = "buffer-time=60000 latency-time=10000"
        return switch self {
        case .pulse: "pulsesink \(buffer)"
        case .pipeWire: "pipewiresink"
        case .card: "alsasink \(buffer)"
        }
    }

    /// How many seconds after an audio server its PulseAudio or PipeWire interface may start.
    static let patience = 5

    /// The installed sinks to try, `seconds` after an audio server came back or started: for ``patience`` seconds only
    /// the best one, and not the card; then all. When PipeWire restarts, its PulseAudio replacement starts last, and a
    /// card that was opened meanwhile would stay open.
    static func returning(after seconds: Int, of installed: [Self]) -> [Self] {
        if seconds >= patience { return installed }
        return installed.first == .card ? [] : Array(installed.prefix(1))
    }
}
