import RTCDevices
import SwiftUI
import WebRTCKit

/// Chooses camera and microphone, and shows the local video.
struct DevicesView: View {
    @Bindable var devices: DeviceModel
    @Bindable var calls: CallModel

    var body: some View {
        Form {
            Section("Camera") {
                if devices.cameras.isEmpty {
                    Text("None is connected.")
                } else {
                    CameraPicker(devices: devices)
                    Picker("Local video", selection: $devices.mirroring) {
                        ForEach(DeviceModel.Mirroring.allCases) { Text($0.rawValue).tag($0) }
                    }
                    Toggle("Camera on", isOn: $calls.isCameraOn)
                    if calls.isCameraOn { LocalVideo(track: calls.localVideoTrack, devices: devices) }
                    if devices.showsSwitchButton { SwitchCameraButton(devices: devices) }
                }
            }
            Section("Microphone") {
                if devices.microphones.isEmpty {
                    Text("None is connected.")
                } else {
                    MicrophonePicker(devices: devices)
                }
            }
            ProblemText(problem: devices.news ?? calls.problem)
        }
        .navigationTitle("Camera and microphone")
    }
}

/// Lists the cameras, the system's preferred one first.
struct CameraPicker: View {
    @Bindable var devices: DeviceModel

    var body: some View {
        Picker("Camera", selection: $devices.chosenCamera) {
            ForEach(devices.cameras) { camera in
                Text(camera.kind == .external ? "\(camera.name) (external)" : camera.name).tag(Optional(camera.id))
            }
        }
    }
}

/// Lists the microphones, the one built into the camera first.
struct MicrophonePicker: View {
    @Bindable var devices: DeviceModel

    var body: some View {
        Picker("Microphone", selection: $devices.chosenMicrophone) {
            ForEach(devices.microphones) { Text($0.name).tag(Optional($0.id)) }
        }
    }
}

struct SwitchCameraButton: View {
    let devices: DeviceModel

    var body: some View {
        Button("Switch camera") { devices.switchCamera() }
    }
}

/// Shows the local video, mirrored as the person has chosen.
struct LocalVideo: View {
    let track: WRKRTCVideoTrack?
    let devices: DeviceModel

    var body: some View {
        WebRTCVideoView(videoTrack: track, isMirrored: devices.mirroring.isMirrored)
            .cornerRadius(15)
            .frame(maxWidth: 240, maxHeight: 230)
    }
}
