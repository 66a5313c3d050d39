import SwiftUI
import WebRTCKit

/// Shows a call: the remote video, the local video in the corner, the code, and the buttons. In a wide window, the local video is beside
/// the buttons.
struct CallView: View {
    let model: AppModel
    let title: String

    var body: some View {
        WindowWidth { isNarrow in
            ZStack {
                WebRTCVideoView(videoTrack: model.calls.remoteVideoTrack).ignoresSafeArea()
                VStack {
                    Text(model.calls.isConnectionLost ? "Looking for the connection…" : title).font(.headline)
                    VerificationView(status: model.calls.verification, isOverdue: model.calls.isVerificationOverdue)
                    Spacer()
                    if isNarrow {
                        HStack {
                            Spacer()
                            ownVideo
                        }
                        buttons
                    } else {
                        HStack(alignment: .bottom, spacing: 24) {
                            Spacer()
                            buttons
                            Spacer()
                            ownVideo
                        }
                    }
                    if let audio = model.calls.audio, audio.needsResuming {
                        Button("Audio is paused: resume") { audio.resume() }.buttonStyle(.borderedProminent)
                    }
                    ProblemText(problem: model.calls.problem ?? model.sharing.problem ?? model.devices.news)
                }
                .foregroundStyle(.white)
                .padding()
            }
            .background(Color.black)
        }
        // Recording and sharing end with the call.
        .onDisappear {
            model.recording.end()
            model.sharing.end(in: model.calls)
        }
    }

    @ViewBuilder private var ownVideo: some View {
        if model.calls.isCameraOn { LocalVideo(track: model.calls.localVideoTrack, devices: model.devices) }
    }

    private var buttons: some View {
        HStack(spacing: 16) {
            Button(model.calls.isMuted ? "Unmute" : "Mute") { model.calls.setMuted(!model.calls.isMuted) }
            Button(model.calls.isCameraOn ? "Camera off" : "Camera on") {
                model.calls.isCameraOn.toggle()
            }
            if model.calls.isCameraOn, model.devices.showsSwitchButton { SwitchCameraButton(devices: model.devices) }
            if let audio = model.calls.audio {
                Button(audio.isSpeakerOn ? "Loudspeaker off" : "Loudspeaker") { audio.setSpeaker(!audio.isSpeakerOn) }
            }
            Menu("More") {
                CameraPicker(devices: model.devices)
                MicrophonePicker(devices: model.devices)
                SharingButtons(sharing: model.sharing, calls: model.calls)
                RecordingButtons(recording: model.recording, calls: model.calls, devices: model.devices)
            }
            Button("Hang up", role: .destructive) { model.calls.hangUp() }
        }
        .buttonStyle(.borderedProminent)
    }
}
