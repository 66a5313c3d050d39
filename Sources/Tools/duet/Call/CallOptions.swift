import ArgumentParser
import DuetShell
import RTC
import RTCSignaling

/// The options that `duet call` and `duet answer` share.
struct CallOptions: ParsableArguments {
    static let defaultServer = "ws://127.0.0.1:8080"

    @Option(help: ArgumentHelp("The signalling server; the address of its page works too.", valueName: "url"))
    var server = Self.defaultServer

    @Option(help: ArgumentHelp("The credential, if the server needs one.", valueName: "token"))
    var token: String?

    @Option(help: ArgumentHelp("A file with the token, which then appears in no list of processes.", valueName: "file"))
    var tokenFile: String?

    @Option(help: ArgumentHelp("Send the access token of “duet login ISSUER” instead.", valueName: "issuer"))
    var login: String?

    @Flag(help: "Send the token over an unencrypted connection (ws://) to another machine too.")
    var allowPlainToken = false

    @OptionGroup var loginOptions: LoginOptions

    @Option(help: ArgumentHelp("The display name that the other side sees.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The video to send: a file, “test” for a test picture, also as “test:1280x720@30”, or “none”.",
            valueName: "file|test|none"),
        transform: VideoOption.parse)
    var video: VideoOption = .test

    @Option(
        help: ArgumentHelp(
            """
            The audio to send: a file, “tone” for 440 hertz, also as “tone:1000”, or “none”. By default the audio of \
            the video file, or else a tone.
            """, valueName: "file|tone|none"),
        transform: AudioOption.parse)
    var audio: AudioOption?

    @Option(
        defaultAsFlag: .any,
        help: ArgumentHelp(
            """
            Send a camera of this machine instead, by the identifier or name that “duet devices” shows; without a value \
            the preferred one. Another one can be chosen during the call.
            """, valueName: "camera|none"),
        transform: { DeviceSelection($0) })
    var camera: DeviceSelection?

    @Option(
        defaultAsFlag: .any,
        help: ArgumentHelp(
            "Send a microphone of this machine instead, as with --camera.", valueName: "microphone|none"),
        transform: { DeviceSelection($0) })
    var microphone: DeviceSelection?

    @Option(
        help: ArgumentHelp("Scale larger frames down to fit.", valueName: "640x360"),
        transform: PictureSize.parse)
    var size: PictureSize?

    @Option(
        name: .customLong("codec"),
        help: ArgumentHelp(
            "Use only this codec for its kind of media: vp8, vp9, h264, opus, … May be repeated.",
            valueName: "name"))
    var codecs: [String] = []

    @Flag(help: "Show the call in a window, and play its audio.")
    var window = false

    @Option(
        defaultAsFlag: .any,
        help: ArgumentHelp(
            "Play the received audio without a window, on the default output or on this loudspeaker.",
            valueName: "speaker|none"),
        transform: { DeviceSelection($0) })
    var speaker: DeviceSelection?

    @Option(help: ArgumentHelp("Record the other side into this file.", valueName: "file.webm"))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Append statistics of sending (docs/trace.md): numbers only.", valueName: "file"))
    var trace: String?

    @Option(help: ArgumentHelp("Hang up after this long.", valueName: "seconds"))
    var duration: Double?

    @Option(
        help: ArgumentHelp(
            "End the call after this long without a path, 1 to 3600 whole seconds.", valueName: "seconds"))
    var connectionTimeout: UInt64 = 30

    @Option(help: ArgumentHelp("Send this message during the call. May be repeated.", valueName: "text"))
    var chat: [String] = []

    @Flag(help: "Print events as JSON, one object per line, and read commands from standard input.")
    var json = false

    @OptionGroup var logging: LogOptions

    func validate() throws {
        guard [token, tokenFile, login].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("give one of --token, --token-file and --login")
        }
        if let duration, !(0.1...604_800).contains(duration) {
            throw ValidationError("--duration is 0.1 to 604800 seconds")
        }
        guard (1...3_600).contains(connectionTimeout) else {
            throw ValidationError("--connection-timeout is 1 to 3600 seconds")
        }
        if let name, DisplayName(rawValue: name) == nil {
            throw ValidationError("--name is 1 to 64 characters that can be printed")
        }
    }

    /// The settings of the call that both commands share.
    ///
    /// - Throws: ``Refusal`` if an option cannot be satisfied.
    func settings(role: CallSettings.Role) throws(Refusal) -> CallSettings {
        var settings = CallSettings(role: role)
        settings.duration = duration.map { .seconds($0) }
        settings.connectionTimeout = connectionTimeout
        settings.chat = chat
        settings.isJSON = json
        settings.playsSound = speaker.map { $0 != .none } ?? window
        settings.window = window ? .required : .none
        settings.recording = record
        settings.trace = trace
        if !codecs.isEmpty { settings.media.codecs = try CodecOption.choose(codecs) }
        return settings
    }

    /// The files and devices.
    var media: CallMedia {
        var media = CallMedia()
        media.video = video
        media.audio = audio
        media.size = size
        media.camera = camera
        media.microphone = microphone
        media.speaker = speaker
        return media
    }

    /// The signalling configuration for `user`.
    func signaling(user: UserID?) throws(Refusal) -> SignalingClient.Configuration {
        guard let url = SignalingURL(server) else {
            throw Refusal("--server \(server): write ws://HOST:PORT or wss://HOST:PORT")
        }
        var configuration = SignalingClient.Configuration(
            url: url, user: user, name: name.flatMap { DisplayName(rawValue: $0) }, token: try credential())
        configuration.allowsPlainToken = allowPlainToken
        guard (configuration.token == nil && login == nil) || url.isSecure || url.isLoopback || allowPlainToken else {
            throw Refusal(
                "--server \(server): a token that goes there unencrypted is anybody's: write wss://, or --allow-plain-token"
            )
        }
        if let login { configuration.token = try loginOptions.tokens(issuer: login) }
        return configuration
    }

    private func credential() throws(Refusal) -> String? {
        guard let tokenFile else { return token }
        let text = try OptionFile.read(tokenFile, option: "--token-file")
        return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }

    static func user(_ text: String, option: String) throws(Refusal) -> UserID {
        guard let user = UserID(rawValue: text) else {
            throw Refusal("\(option) \(text): a name has 1 to 64 letters, digits and marks like . - _ @")
        }
        return user
    }
}
