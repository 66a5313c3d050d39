import RTC
import RTCFrames

/// Keeps what goes out and what comes in during a call, so that the two can be compared afterwards.
///
/// Every picture that goes out is marked with its number. Every ``stride``th is kept at both ends, by that number, in files
/// that any player shows: `sent-1280x720.y4m`, `received-1280x720.y4m` (one for each size), `sent.wav`, `received.wav`.
final class CallProbe: Sendable {
    /// Which pictures are kept: those whose number is a multiple of it. It has no factor in common with usual distances of
    /// key frames, so that those are not favoured.
    static let stride: UInt32 = 11

    let receivedVideo: any VideoSink
    let receivedAudio: any AudioSink
    private let sentVideo: PictureSampler
    private let sentAudio: AudioRecorder
    private let sampler: PictureSampler
    private let recorder: AudioRecorder

    /// - Throws: ``CallRefusal`` when a file cannot be made.
    init(folder: String) throws(CallRefusal) {
        sentVideo = PictureSampler(prefix: "\(folder)/sent")
        sampler = PictureSampler(prefix: "\(folder)/received")
        do {
            sentAudio = AudioRecorder(try FileSink(path: "\(folder)/sent.wav"))
            recorder = AudioRecorder(try FileSink(path: "\(folder)/received.wav"))
        } catch {
            throw CallRefusal(error.message)
        }
        receivedVideo = sampler
        receivedAudio = recorder
    }

    /// The same pictures, marked, and some of them kept.
    func watching(_ source: any VideoSource) -> any VideoSource {
        MarkingSource(source, sampler: sentVideo)
    }

    /// The same sound, and kept.
    func listening(_ source: any AudioSource) -> any AudioSource {
        TappedSource(source, tap: sentAudio)
    }

    func finish() {
        try? sentAudio.finish()
        try? recorder.finish()
        sentVideo.finish()
        sampler.finish()
    }
}
