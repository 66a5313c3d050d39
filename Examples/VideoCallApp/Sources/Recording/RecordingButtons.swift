import SwiftUI
import WebRTCKit

/// Film and photo, in a call.
struct RecordingButtons: View {
    let recording: RecordingModel
    let calls: CallModel
    let devices: DeviceModel

    var body: some View {
        Button(recording.isRecording ? "Stop film" : "Film") {
            if recording.isRecording {
                recording.end()
            } else {
                recording.begin(calls.remoteVideoTrack, calls.audioTracks)
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
