/// What plays sound on Linux, the best first: what the person chose and hears in all other programs is known to the server alone.
enum SpeakerSink: CaseIterable {
    /// PulseAudio, or PipeWire in its place.
    case pulse
    case pipeWire
    /// The sound card itself, which nobody else can use meanwhile.
    case card

    /// GStreamer's element, with 60 ms of buffer where that can be said.
    var element: String {
        let buffer = "buffer-time=60000 latency-time=10000"
        return switch self {
        case .pulse: "pulsesink \(buffer)"
        case .pipeWire: "pipewiresink"
        case .card: "alsasink \(buffer)"
        }
    }

    /// How many seconds the part of a sound server that programs play to may come after the server itself.
    static let patience = 5

    /// What to try of those that are installed, `seconds` after a server of sound came back, or came: until the better one had time to come too, nothing else. Where
    /// PipeWire is restarted, what stands in for PulseAudio comes last, and a card that was taken meanwhile stays taken.
    static func returning(after seconds: Int, of installed: [Self]) -> [Self] {
        if seconds >= patience { return installed }
        return installed.first == .card ? [] : Array(installed.prefix(1))
    }
}
