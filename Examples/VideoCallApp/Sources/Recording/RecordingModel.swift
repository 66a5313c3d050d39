import Foundation
import Observation
import RTCDevices
import RTCMediaFiles
import WebRTCKit

/// Recordings of calls, and photos, to share.
@MainActor
@Observable
final class RecordingModel {
    private(set) var isRecording = false
    /// The files, newest last.
    private(set) var files: [URL] = []
    private(set) var problem: String?
    private var recorder: MediaRecorder?
    private var file: URL?
    /// The tracks that are being recorded.
    private var tracks: (video: WRKRTCVideoTrack?, audio: WRKRTCAudioTrack?) = (nil, nil)

    /// Records these tracks: one of each kind, since a recorder does not mix. While the local camera is recorded, no other camera is
    /// chosen: one that was plugged in or chosen meanwhile follows afterwards.
    func begin(_ video: WRKRTCVideoTrack?, _ audio: WRKRTCAudioTrack?) {
        guard !isRecording else { return }
        do {
            let file = newFile("mov")
            let recorder = try MediaRecorder(path: file.path, hasVideo: video != nil)
            (self.recorder, self.file, tracks, isRecording) = (recorder, file, (video, audio), true)
            video?.add(recorder)
            audio?.add(recorder)
        } catch {
            problem = error.message
        }
    }

    func end() {
        guard let recorder, let file else { return }
        tracks.video?.remove(recorder)
        tracks.audio?.remove(recorder)
        (self.recorder, self.file, tracks, isRecording) = (nil, nil, (nil, nil), false)
        Task {
            do {
                try await recorder.finish()
                files.append(file)
            } catch {
                problem = "\(error)"
            }
        }
    }

    /// Takes a photo of the current frame.
    func takePhoto(of track: WRKRTCVideoTrack) {
        Task {
            for await frame in track.frames {
                do {
                    let file = newFile("jpg")
                    try Data(PhotoEncoder().jpeg(frame)).write(to: file)
                    files.append(file)
                } catch {
                    problem = "\(error)"
                }
                return
            }
        }
    }

    /// Takes a photo with the camera, at its largest size, with a flash if it is dark.
    func takePhoto(with camera: CameraFeed) {
        Task {
            do {
                let photo = try await camera.takePhoto(PhotoSettings(flash: .automatic))
                let file = newFile("jpg")
                try Data(photo.bytes).write(to: file)
                files.append(file)
            } catch {
                problem = "\(error)"
            }
        }
    }

    private func newFile(_ kind: String) -> URL {
        URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(
            "Call \(UUID().uuidString.prefix(8)).\(kind)")
    }
}
