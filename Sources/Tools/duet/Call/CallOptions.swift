import ArgumentParser
import DuetShell
import RTC
import RTCSignaling

/// The options that `duet call` and `duet answer` share.
struct CallOptions: ParsableArguments {
    static let defaultServer = "ws://127.0.0.1:8080"

    @Option(help: ArgumentHelp("Where “duet serve” runs; the address of its page will do.", valueName: "url"))
    var server = Self.defaultServer

    @Option(help: ArgumentHelp("What shows who we are, if the server asks for it.", valueName: "token"))
    var token: String?

    @Option(help: ArgumentHelp("A file with that token, so that it stands in no list of processes.", valueName: "file"))
    var tokenFile: String?

    @Option(help: ArgumentHelp("Show the server the access token of “duet login ISSUER” instead.", valueName: "issuer"))
    var login: String?

    @Flag(help: "Show the token also to a server on another machine that is not encrypted (ws://).")
    var allowPlainToken = false

    @OptionGroup var loginOptions: LoginOptions

    @Option(help: ArgumentHelp("The name that the other side is shown.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "What to send as the camera: a film, “test” for a test picture, also as “test:1280x720@30”, or “none”.",
            valueName: "file|test|none"),
        transform: VideoOption.parse)
    var video: VideoOption = .test

    @Option(
        help: ArgumentHelp(
            """
            What to send as the microphone: a file with sound, “tone” for 440 hertz, also as “tone:1000”, or “none”. \
            Without it: the sound of the film, or else a tone.
            """, valueName: "file|tone|none"),
        transform: AudioOption.parse)
    var audio: AudioOption?

    @Option(
        defaultAsFlag: .any,
        help: ArgumentHelp(
            """
            Send a camera of this machine instead: by the identifier or the name that “duet devices” shows, or whichever is \
            there. Another one may be chosen in the call.
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
        help: ArgumentHelp("Make pictures that are larger small enough to fit into this.", valueName: "640x360"),
        transform: PictureSize.parse)
    var size: PictureSize?

    @Option(
        name: .customLong("codec"),
        help: ArgumentHelp(
            "Use this codec, such as vp8, vp9, h264 or opus, and of its kind no other. May be given several times.",
            valueName: "name"))
    var codecs: [String] = []

    @Flag(help: "Show the call in a window, and play its sound.")
    var window = false

    @Option(
        defaultAsFlag: .any,
        help: ArgumentHelp(
            "Play the sound of the other side, also without a window, by this loudspeaker or where the system sends it.",
            valueName: "speaker|none"),
        transform: { DeviceSelection($0) })
    var speaker: DeviceSelection?

    @Option(help: ArgumentHelp("Record the other side into this file.", valueName: "file.webm"))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Append what was sent, acknowledged, estimated and decided, in numbers alone.", valueName: "file"))
    var trace: String?

    @Option(help: ArgumentHelp("Hang up after this long.", valueName: "seconds"))
    var duration: Double?

    @Option(
        help: ArgumentHelp(
            "Give up after this long without a path to the other side, 1 to 3600 whole seconds.", valueName: "seconds"))
    var connectionTimeout: UInt64 = 30

    @Option(help: ArgumentHelp("Send this message in the call. May be given several times.", valueName: "text"))
    var chat: [String] = []

    @Flag(help: "Print what happens as JSON, one object a line, and take commands from standard input.")
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
