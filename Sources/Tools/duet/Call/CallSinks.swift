import RTC
import WebRTCKit

/// Where what is received goes, and what else has to know how a call does.
struct CallSinks: Sendable {
    var screen: CallScreen?
    var speaker: CallSpeaker?
    var recording: CallRecording?
    var probe: CallProbe?

    var video: [any VideoSink] {
        let sinks: [(any VideoSink)?] = [screen?.remote, recording?.video, probe?.receivedVideo]
        return sinks.compactMap { $0 }
    }

    /// The loudspeaker is not among them: the kit plays to it.
    var audio: [any AudioSink] {
        let sinks: [(any AudioSink)?] = [recording?.audio, probe?.receivedAudio]
        return sinks.compactMap { $0 }
    }

    func callBegan(title: String, status: String) async { await screen?.begin(title, status) }

    func status(_ text: String) async { await screen?.status(text) }

    func verification(_ status: VerificationStatus) async { await screen?.verification(status) }

    func callEnded(_ text: String) async { await screen?.end(text) }

    /// Completes the files. Returns what went wrong, in words.
    func finish() async -> String? {
        speaker?.stop()
        probe?.finish()
        let failure = await recording?.finish()
        await screen?.close()
        return failure ?? nil
    }
}

/// The window of a call.
struct CallScreen: Sendable {
    /// Takes the other side's pictures, and our own.
    var remote: any VideoSink
    var local: any VideoSink
    /// A call begins: with whom, and how it stands.
    var begin: @Sendable (_ title: String, _ status: String) async -> Void
    var status: @Sendable (String) async -> Void
    var verification: @Sendable (VerificationStatus) async -> Void
    /// Other devices are there to choose from, or another one is used.
    var devices: @Sendable (DeviceMenu) async -> Void = { _ in }
    /// A call is over.
    var end: @Sendable (String) async -> Void
    var close: @Sendable () async -> Void
}

/// Where received sound is heard.
struct CallSpeaker: Sendable {
    var sink: any AudioSink
    /// False on a machine without a sound card.
    var isAudible: Bool
    var stop: @Sendable () -> Void
}

/// A file that the other side is recorded into.
struct CallRecording: Sendable {
    var path: String
    var video: any VideoSink
    var audio: any AudioSink
    /// Completes the file. Returns what went wrong, in words.
    var finish: @Sendable () async -> String?
}
