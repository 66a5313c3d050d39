public import ArgumentParser
import DuetShell
public import RTC

/// The options of `duet peer` for audio and video.
struct MediaOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send video: “test” for a test picture, also as “test:1280x720@30”, or a file in a loop.",
            valueName: "test|file.y4m|none"),
        transform: VideoOption.parse)
    var video: VideoOption = .none

    @Option(
        help: ArgumentHelp(
            "Send audio: “tone” for 440 hertz, also as “tone:1000”, or a file in a loop.",
            valueName: "tone|file.wav|none"),
        transform: AudioOption.parse)
    var audio: AudioOption = .none

    @Option(
        name: .customLong("codec"),
        help: ArgumentHelp(
            """
            Use only this codec for its kind of media: vp8, vp9, h264, opus, pcmu or pcma. May be repeated, the preferred \
            one first.
            """, valueName: "name"))
    var codecs: [String] = []

    @Option(
        name: .customLong("scalability-mode"),
        help: "Send VP8 and VP9 in temporal layers; losses in the higher ones need no repair.")
    var scalabilityMode: ScalabilityMode?

    @Option(
        name: .customLong("content-hint"),
        help: "What the video shows: on a slow path, text and details keep their size, motion its frame rate.")
    var contentHint: VideoContentHint?

    @Option(
        name: .customLong("srtp-profile"),
        help: "The SRTP profile. May be repeated, the preferred one first.")
    var srtpProfiles: [SRTPProfileOption] = []

    @Flag(
        name: .customLong("no-red"), help: "Disable redundant audio, which repeats earlier packets (RFC 2198)."
    )
    var noRedundantAudio = false

    @Flag(
        name: .customLong("fec"), inversion: .prefixedNo,
        help: "Offer forward error correction of video (RFC 5109), for losses over a long round trip."
    )
    var offersVideoErrorCorrection = true

    @Option(help: ArgumentHelp("Record the first received video track.", valueName: "file.y4m"))
    var recordVideo: String?

    @Option(help: ArgumentHelp("Record the first received audio track.", valueName: "file.wav"))
    var recordAudio: String?

    @Flag(help: "Print once a second what the received tracks contain.")
    var content = false

    /// Opens the files and finds the codecs.
    ///
    /// - Throws: ``Refusal`` if an option cannot be satisfied.
    func plan() throws(Refusal) -> MediaPlan {
        MediaPlan(
            video: try video.check(), audio: try audio.check(), configuration: try configuration(),
            scalabilityMode: scalabilityMode, contentHint: contentHint,
            videoRecording: try recordVideo.map { path throws(Refusal) in try Recording.video(path) },
            audioRecording: try recordAudio.map { path throws(Refusal) in try Recording.audio(path) },
            printsContent: content)
    }

    private func configuration() throws(Refusal) -> PeerConnection.MediaConfiguration {
        var configuration = PeerConnection.MediaConfiguration()
        if !codecs.isEmpty { configuration.codecs = try CodecOption.choose(codecs) }
        configuration.isRedundantAudioOffered = !noRedundantAudio
        configuration.isVideoErrorCorrectionOffered = offersVideoErrorCorrection
        if !srtpProfiles.isEmpty { configuration.srtpProfiles = srtpProfiles.map(\.profile) }
        return configuration
    }
}

/// The audio and video of a command-line peer, by its options.
struct MediaPlan: Sendable {
    var video = VideoOption.none
    var audio = AudioOption.none
    var configuration = PeerConnection.MediaConfiguration()
    var scalabilityMode: ScalabilityMode?
    var contentHint: VideoContentHint?
    var videoRecording: Recording?
    var audioRecording: Recording?
    var printsContent = false
}

/// `--scalability-mode`: the names of W3C webrtc-svc.
extension ScalabilityMode: ExpressibleByArgument {}

/// `--srtp-profile`: the names of RFC 5764 and RFC 7714.
enum SRTPProfileOption: String, ExpressibleByArgument, CaseIterable {
    case aes128CMHMACSHA1_80 = "AES128_CM_HMAC_SHA1_80"
    case aeadAES128GCM = "AEAD_AES_128_GCM"
    case aeadAES256GCM = "AEAD_AES_256_GCM"

    var profile: SRTPProfile {
        switch self {
        case .aes128CMHMACSHA1_80: .aes128CMHMACSHA1_80
        case .aeadAES128GCM: .aeadAES128GCM
        case .aeadAES256GCM: .aeadAES256GCM
        }
    }
}

/// `--content-hint`: the names of W3C mst-content-hint.
extension VideoContentHint: ExpressibleByArgument {}
