import DuetShell
import RTC
import RTCMediaFiles

/// A file that a received track is recorded to.
struct Recording: Sendable {
    enum Recorder: Sendable {
        case video(VideoRecorder)
        case audio(AudioRecorder)
    }

    let recorder: Recorder
    private let option: String
    private let path: String

    static func video(_ path: String) throws(Refusal) -> Recording {
        Recording(
            recorder: .video(VideoRecorder(try sink(path, "--record-video"))), option: "--record-video", path: path)
    }

    static func audio(_ path: String) throws(Refusal) -> Recording {
        Recording(
            recorder: .audio(AudioRecorder(try sink(path, "--record-audio"))), option: "--record-audio", path: path)
    }

    private static func sink(_ path: String, _ option: String) throws(Refusal) -> FileSink {
        do { return try FileSink(path: path) } catch { throw Refusal("\(option) \(path): \(error)") }
    }

    /// Records `track`, if it has the right kind.
    func add(to track: any MediaTrack) {
        switch (recorder, track) {
        case (.video(let recorder), let track as VideoTrack): track.add(recorder)
        case (.audio(let recorder), let track as AudioTrack): track.add(recorder)
        default: break
        }
    }

    /// Completes the file, and returns an error message if that failed.
    func finish() -> String? {
        do {
            switch recorder {
            case .video(let recorder): try recorder.finish()
            case .audio(let recorder): try recorder.finish()
            }
            return nil
        } catch {
            return "\(option) \(path): \(error)"
        }
    }
}
