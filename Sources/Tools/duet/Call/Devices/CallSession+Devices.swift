import RTC
import RTCDevices
import WebRTCKit

extension CallSession {
    /// Sends what the options say: files and test pictures, or the machine's own devices.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)``, with what to do about it.
    func startMedia() async throws {
        if let audio = local.audio {
            try await controller.startAudioRecording(source: audio)
        } else if machine?.sendsSound == true {
            // With it the picture, if that is wanted.
            try await controller.startRecording()
        }
        if let video = local.video {
            try await controller.startVideoRecording(source: video)
        } else if machine?.sendsPicture == true {
            try await controller.startVideoRecording()
        }
    }

    /// Something has happened to a device of ours.
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
                    throw CallRefusal("there is no other camera")
                }
            case .choose(let media, let text):
                _ = try machine.choose(media, text, subject: media.rawValue)
            }
        } catch {
            reporter.show(.trouble("\(error)"))
        }
        await showDevices()
    }

    /// Lets the window show what there is to choose.
    func showDevices() async {
        guard let machine, let screen = sinks.screen else { return }
        await screen.devices(DeviceMenu(machine))
    }
}

/// What a person, or a script in place of one, wants of the devices.
enum DeviceCommand: Sendable, Equatable {
    case list
    case choose(MediaDevice.Media, String)
    /// The button that goes from one camera to another.
    case switchCamera
}

/// What a window offers to choose from.
struct DeviceMenu: Sendable, Equatable {
    struct List: Sendable, Equatable {
        var names: [String] = []
        var identifiers: [String] = []
        /// Which of them is used.
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
    /// Whether one's own picture may be shown as in a mirror: not that of a camera that looks away.
    var canMirror: Bool

    init(_ machine: CallMachine) {
        let list = machine.devices.list
        cameras = List(machine.sendsPicture ? list.cameras : [], isUsed: machine.isUsed)
        // With the one in the housing of the camera in use first.
        microphones = List(machine.sendsSound ? machine.devices.microphone.choice.list : [], isUsed: machine.isUsed)
        let speakers = machine.isHeard && machine.devices.speaker != nil ? [.defaultSpeaker] + list.speakers : []
        let chosen = machine.devices.speaker?.chosen ?? MediaDevice.defaultSpeaker.id
        self.speakers = List(speakers) { $0.id == chosen }
        let choice = machine.devices.cameras.choice
        showsSwitchButton = machine.sendsPicture && choice.showsSwitchButton
        canMirror = !machine.sendsPicture || choice.current?.isPreviewMirroredByDefault != false
    }
}
