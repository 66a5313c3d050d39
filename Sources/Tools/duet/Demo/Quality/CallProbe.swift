import Foundation
import RTC
import RTCFrames
import RTCWire
import Synchronization

/// Keeps what goes out and what comes in during a call, so that the two can be compared afterwards.
///
/// Every picture that goes out is marked with its number. Every ``stride``th is kept at both ends, by that number, in files
/// that any player shows: `sent-1280x720.y4m`, `received-1280x720.y4m` (one for each size), `sent.wav`, `received.wav`. When
/// the sound began, on the clock that processes share, is in `sent.beginning` and `received.beginning`, in nanoseconds.
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
    private let sentBeginning: SoundBeginning
    private let receivedBeginning: SoundBeginning

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
        sentBeginning = SoundBeginning(path: "\(folder)/sent.beginning", sentAudio)
        receivedBeginning = SoundBeginning(path: "\(folder)/received.beginning", recorder)
        receivedVideo = sampler
        receivedAudio = receivedBeginning
    }

    /// The same pictures, marked, and some of them kept.
    func watching(_ source: any VideoSource) -> any VideoSource {
        MarkingSource(source, sampler: sentVideo)
    }

    /// The same sound, and kept.
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

/// Remembers when the first of the sound came that it passes on.
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

    /// What one has written, in nanoseconds.
    static func read(_ path: String) -> Int64? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return Int64(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
