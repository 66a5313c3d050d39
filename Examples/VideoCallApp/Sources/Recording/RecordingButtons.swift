import SwiftUI
import WebRTCKit

/// Buttons to record and to take photos, in a call.
struct RecordingButtons: View {
    let recording: RecordingModel
    let calls: CallModel
    let devices: DeviceModel

    var body: some View {
        if recording.isRecording {
            Button("Stop recording") { recording.end() }
        } else {
            Button("Record the other side") {
                recording.begin(calls.remoteVideoTrack, calls.audioTracks.first { !$0.isLocal })
            }
            if calls.isCameraOn {
                Button("Record your camera") {
                    recording.begin(calls.localVideoTrack, calls.audioTracks.first(where: \.isLocal))
                }
            }
        }
        if let track = calls.remoteVideoTrack {
            Button("Photo of the remote video") { recording.takePhoto(of: track) }
        }
        if calls.isCameraOn, let camera = devices.devices?.camera {
            Button("Photo with your camera") { recording.takePhoto(with: camera) }
        }
    }
}

/// The recordings and photos, to share.
struct RecordingList: View {
    let recording: RecordingModel

    var body: some View {
        ForEach(recording.files, id: \.path) { file in
            ShareLink(file.lastPathComponent, item: file)
        }
        ProblemText(problem: recording.problem)
    }
}
