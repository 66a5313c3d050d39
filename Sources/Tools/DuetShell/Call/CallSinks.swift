import RTC
import WebRTCKit

/// The destinations of received media, and of the call's state.
struct CallSinks: Sendable {
    var screen: CallScreen?
    var speaker: CallSpeaker?
    var recording: CallRecording?
    var probe: (any CallProbe)?

    var video: [any VideoSink] {
        let sinks: [(any VideoSink)?] = [screen?.remote, recording?.video, probe?.receivedVideo]
        return sinks.compactMap { $0 }
    }

    /// Without the loudspeaker, to which the kit plays.
    var audio: [any AudioSink] {
        let sinks: [(any AudioSink)?] = [recording?.audio, probe?.receivedAudio]
        return sinks.compactMap { $0 }
    }

    func callBegan(title: String, status: String) async { await screen?.begin(title, status) }

    func status(_ text: String) async { await screen?.status(text) }

    func verification(_ status: VerificationStatus) async { await screen?.verification(status) }

    func callEnded(_ text: String) async { await screen?.end(text) }

    /// Completes the files, and returns an error message if that failed.
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
    /// Shows the remote and the local video.
    var remote: any VideoSink
    var local: any VideoSink
    /// Called at the beginning of a call, with its title and status.
    var begin: @Sendable (_ title: String, _ status: String) async -> Void
    var status: @Sendable (String) async -> Void
    var verification: @Sendable (VerificationStatus) async -> Void
    /// Called when the devices or their use have changed.
    var devices: @Sendable (DeviceMenu) async -> Void = { _ in }
    /// Called at the end of a call.
    var end: @Sendable (String) async -> Void
    var close: @Sendable () async -> Void
}

/// The output for received audio.
struct CallSpeaker: Sendable {
    var sink: any AudioSink
    /// `false` on a machine without a sound card.
    var isAudible: Bool
    var stop: @Sendable () -> Void
}

/// A file with the recording of the peer.
struct CallRecording: Sendable {
    var path: String
    var video: any VideoSink
    var audio: any AudioSink
    /// Completes the file, and returns an error message if that failed.
    var finish: @Sendable () async -> String?
}
