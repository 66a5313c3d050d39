import DuetShell
import RTC
import RTCSignaling

/// One side of the demo's call.
struct CallDemoWork: Codable, Sendable, Equatable {
    var user: String
    /// The name that the other side is shown.
    var name: String
    var server: String
    /// The video and the audio, as the options of `duet call` name them.
    var video: String
    var audio: String
    var size: PictureSize
    var log: LogLevel
    /// The user to call; `nil` waits for a call.
    var peer: String?
    /// Whether to wait for the next call after one has ended.
    var stays = false
    var codecs: [String] = []
    /// In seconds.
    var duration: Double?
    var chat: [String] = []
    var recording: String?
    /// Whether to show a window, if there can be one.
    var showsWindow = false
    /// The folder for what is sent and received, from which the call is judged.
    var folder: String?

    /// Signs in, calls or waits for calls, and reports as `duet call --json` does.
    ///
    /// - Returns: The exit status, which is that of `duet call`.
    func run() async throws(Refusal) -> Int32 {
        log.bootstrap()
        guard let url = SignalingURL(server), let user = UserID(rawValue: user) else {
            throw Refusal("\(user) cannot sign in at \(server)")
        }
        var media = CallMedia()
        media.video = try VideoOption.parse(video)
        media.audio = try AudioOption.parse(audio)
        media.size = size
        let probe = try folder.map { folder throws(Refusal) in try QualityProbe(folder: folder) }
        return try await CallRun.run(
            try settings, media,
            signaling: SignalingClient.Configuration(url: url, user: user, name: DisplayName(rawValue: name)),
            probe: probe)
    }

    private var settings: CallSettings {
        get throws(Refusal) {
            var role = CallSettings.Role.answer(.init(stays: stays))
            if let peer {
                guard let address = SignalingAddress(peer) else { throw Refusal("\(peer) cannot be called") }
                role = .call(address, .init())
            }
            var settings = CallSettings(role: role)
            settings.duration = duration.map { .seconds($0) }
            settings.chat = chat
            settings.isJSON = true
            settings.playsSound = showsWindow
            settings.window = showsWindow ? .ifAvailable : .none
            settings.recording = recording
            if !codecs.isEmpty { settings.media.codecs = try CodecOption.choose(codecs) }
            return settings
        }
    }
}
