import Observation
import RTCDevices
import WebRTCKit

/// The machine's cameras and microphones, and which of them the person has chosen.
@MainActor
@Observable
final class DeviceModel {
    private(set) var cameras: [MediaDevice] = []
    private(set) var camera: MediaDevice?
    /// The rule of calls: there is a button while a built-in camera is used, and none while an external one is.
    private(set) var showsSwitchButton = false
    private(set) var microphones: [MediaDevice] = []
    private(set) var microphone: MediaDevice?
    /// What happened last, for the person.
    private(set) var news: String?
    /// How one's own picture is shown; nothing that is sent or recorded is mirrored.
    var mirroring = Mirroring.asUsual

    enum Mirroring: String, CaseIterable, Identifiable {
        /// As in a mirror, unless the camera looks away from the person.
        case asUsual = "As usual"
        case mirrored = "As in a mirror"
        /// For a camera that shows something else, or an HDMI switcher.
        case plain = "As it is"

        var id: Self { self }
        var isMirrored: Bool? {
            switch self {
            case .asUsual: nil
            case .mirrored: true
            case .plain: false
            }
        }
    }

    /// `nil` where the system shows none.
    let devices: MediaDevices?

    init() {
        do {
            devices = try MediaDevices(policy: .call, store: CameraHistoryDefaults())
        } catch {
            devices = nil
            news = error.message
        }
        refresh()
        follow()
    }

    /// A choice is told to the system too, which learns from it.
    var chosenCamera: DeviceID? {
        get { camera?.id }
        set { if let newValue { devices?.cameras.choose(newValue) } }
    }

    func switchCamera() { devices?.cameras.switchCamera() }

    /// The one that ARKit looks by.
    var backCamera: MediaDevice? { cameras.first { $0.position == .back && $0.kind == .builtIn } }

    var chosenMicrophone: DeviceID? {
        get { microphone?.id }
        set {
            if let newValue { devices?.microphone.choose(newValue) }
            refresh()
        }
    }

    /// A call's delegate is told too; this is there without a call.
    private func follow() {
        guard let devices else { return }
        let (choices, changes, events) = (
            devices.cameras.changes(), devices.list.changes(), devices.microphone.events()
        )
        Task { [weak self] in for await _ in choices { self?.refresh() } }
        Task { [weak self] in for await _ in changes { self?.refresh() } }
        Task { [weak self] in for await _ in events { self?.refresh() } }
    }

    /// - Parameter event: Of a call's devices.
    func note(_ event: DeviceFeedEvent) {
        switch event {
        case .lost(let device): news = "\(device.name) was unplugged."
        case .failed(let device, let error): news = "\(device.name): \(error.message)"
        case .interrupted(let device, let why): news = "\(device.name): \(why)"
        case .using, .resumed: news = nil
        case .turned: break
        case .none: news = "There is no device to use."
        }
        refresh()
    }

    private func refresh() {
        guard let devices else { return }
        let (choice, sound) = (devices.cameras.choice, devices.microphone.choice)
        (cameras, camera) = (choice.list, choice.current)
        showsSwitchButton = choice.showsSwitchButton
        (microphones, microphone) = (sound.list, sound.current)
    }
}
