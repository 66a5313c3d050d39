import SwiftUI
import WebRTCKit

/// Film and photo, in a call.
struct RecordingButtons: View {
    let recording: RecordingModel
    let calls: CallModel
    let devices: DeviceModel

    var body: some View {
        if recording.isRecording {
            Button("Stop film") { recording.end() }
        } else {
            Button("Film of the call") { recording.begin(calls.remoteVideoTrack, calls.audioTracks) }
            if calls.isCameraOn {
                Button("Film of oneself") {
                    recording.begin(calls.localVideoTrack, calls.audioTracks.filter(\.isLocal))
                }
            }
        }
        if let track = calls.remoteVideoTrack {
            Button("Photo of them") { recording.takePhoto(of: track) }
        }
        if calls.isCameraOn, let camera = devices.devices?.camera {
            Button("Photo of oneself") { recording.takePhoto(with: camera) }
        }
    }
}

/// What was filmed and photographed, to be shared.
struct RecordingList: View {
    let recording: RecordingModel

    var body: some View {
        ForEach(recording.files, id: \.path) { file in
            ShareLink(file.lastPathComponent, item: file)
        }
        ProblemText(problem: recording.problem)
    }
}
