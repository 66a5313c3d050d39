import RTC
import RTCDevices
import WebRTCKit

extension CallSession {
    /// Starts the media of the options: files and test pictures, or the machine's devices.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)``, with advice.
    func startMedia() async throws {
        if let audio = local.audio {
            try await controller.startAudioRecording(source: audio)
        } else if machine?.sendsSound == true {
            // Includes video, if enabled.
            try await controller.startRecording()
        }
        if let video = local.video {
            try await controller.startVideoRecording(source: video)
        } else if machine?.sendsPicture == true {
            try await controller.startVideoRecording()
        }
    }

    /// Handles an event of a local device.
    func handle(_ event: DeviceFeedEvent, of media: MediaDevice.Media) async {
        if let report = DeviceReport(event, media) { reporter.show(.device(report)) }
        await showDevices()
    }

    func perform(_ command: DeviceCommand) async {
        guard let machine else {
            return reporter.show(
                .trouble("no device of this machine is used: give --camera, --microphone or --speaker"))
        }
        do {
            switch command {
            case .list: reporter.show(.devices(machine.devices.list.devices.map { ($0, machine.isUsed($0)) }))
            case .switchCamera:
                guard machine.devices.cameras.switchCamera() != nil else {
                    throw Refusal("there is no other camera")
                }
            case .choose(let media, let text):
                _ = try machine.choose(media, text, subject: media.rawValue)
            }
        } catch {
            reporter.show(.trouble("\(error)"))
        }
        await showDevices()
    }

    /// Updates the window's menu of devices.
    func showDevices() async {
        guard let machine, let screen = sinks.screen else { return }
        await screen.devices(DeviceMenu(machine))
    }
}

/// A command of a person or a script for the devices.
enum DeviceCommand: Sendable, Equatable {
    case list
    case choose(MediaDevice.Media, String)
    /// Switches to another camera.
    case switchCamera
}

/// The choices in the window's menu.
struct DeviceMenu: Sendable, Equatable {
    struct List: Sendable, Equatable {
        var names: [String] = []
        var identifiers: [String] = []
        /// The index of the device that is used.
        var used: Int?

        fileprivate init(_ devices: [MediaDevice], isUsed: (MediaDevice) -> Bool) {
            names = devices.map(\.name)
            identifiers = devices.map(\.id.rawValue)
            used = devices.firstIndex(where: isUsed)
        }
    }

    var cameras: List
    var microphones: List
    var speakers: List
    /// Whether to show the button that switches the camera.
    var showsSwitchButton: Bool
    /// Whether the local video may be mirrored: not that of a camera that faces away.
    var canMirror: Bool

    init(_ machine: CallMachine) {
        let list = machine.devices.list
        cameras = List(machine.sendsPicture ? list.cameras : [], isUsed: machine.isUsed)
        // The microphone of the current camera is first.
        microphones = List(machine.sendsSound ? machine.devices.microphone.choice.list : [], isUsed: machine.isUsed)
        let speakers = machine.isHeard && machine.devices.speaker != nil ? [.defaultSpeaker] + list.speakers : []
        let chosen = machine.devices.speaker?.chosen ?? MediaDevice.defaultSpeaker.id
        self.speakers = List(speakers) { $0.id == chosen }
        let choice = machine.devices.cameras.choice
        showsSwitchButton = machine.sendsPicture && choice.showsSwitchButton
        canMirror = !machine.sendsPicture || choice.current?.isPreviewMirroredByDefault != false
    }
}
