import DuetShell
import Foundation
import RTC
import RTCFrames
import RTCMediaFiles
import RTCWire
import Synchronization

/// Stores sent and received media of a call for a comparison.
///
/// Every sent frame is marked with its number. Each ``stride``th frame is stored at both ends, by that number, as files for any
/// player: `sent-1280x720.y4m`, `received-1280x720.y4m` (one per size), `sent.wav`, `received.wav`. `sent.beginning` and
/// `received.beginning` contain the time at which the audio began, in nanoseconds on the clock that the processes share.
final class QualityProbe: CallProbe {
    /// Frames are stored if their number is a multiple of this. It has no factor in common with usual key frame intervals, so
    /// that key frames are not preferred.
    static let stride: UInt32 = 11

    let receivedVideo: any VideoSink
    let receivedAudio: any AudioSink
    private let sentVideo: PictureSampler
    private let sentAudio: AudioRecorder
    private let sampler: PictureSampler
    private let recorder: AudioRecorder
    private let sentBeginning: SoundBeginning
    private let receivedBeginning: SoundBeginning

    /// - Throws: ``Refusal`` if a file cannot be created.
    init(folder: String) throws(Refusal) {
        sentVideo = PictureSampler(prefix: "\(folder)/sent")
        sampler = PictureSampler(prefix: "\(folder)/received")
        do {
            sentAudio = AudioRecorder(try FileSink(path: "\(folder)/sent.wav"))
            recorder = AudioRecorder(try FileSink(path: "\(folder)/received.wav"))
        } catch {
            throw Refusal(error.message)
        }
        sentBeginning = SoundBeginning(path: "\(folder)/sent.beginning", sentAudio)
        receivedBeginning = SoundBeginning(path: "\(folder)/received.beginning", recorder)
        receivedVideo = sampler
        receivedAudio = receivedBeginning
    }

    /// The source's frames, marked, some of them stored.
    func watching(_ source: any VideoSource) -> any VideoSource {
        MarkingSource(source, sampler: sentVideo)
    }

    /// The source's audio, stored.
    func listening(_ source: any AudioSource) -> any AudioSource {
        TappedSource(source, tap: sentBeginning)
    }

    func finish() {
        try? sentAudio.finish()
        try? recorder.finish()
        sentBeginning.write()
        receivedBeginning.write()
        sentVideo.finish()
        sampler.finish()
    }
}

/// Passes audio on, and stores the time of its first arrival.
final class SoundBeginning: AudioSink {
    private let path: String
    private let sink: any AudioSink
    private let first = Mutex<Int64?>(nil)

    init(path: String, _ sink: any AudioSink) {
        self.path = path
        self.sink = sink
    }

    func deliver(_ frame: AudioFrame) {
        first.withLock { $0 = $0 ?? frame.timestamp.nanoseconds }
        sink.deliver(frame)
    }

    func write() {
        guard let time = first.withLock({ $0 }) else { return }
        try? "\(time)\n".write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Reads a stored time, in nanoseconds.
    static func read(_ path: String) -> Int64? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return Int64(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
