import Observation
import RTCDevices
import WebRTCKit

/// The cameras and microphones, and those in use.
@MainActor
@Observable
final class DeviceModel {
    private(set) var cameras: [MediaDevice] = []
    private(set) var camera: MediaDevice?
    /// Whether to show the switch button: not while an external camera is used.
    private(set) var showsSwitchButton = false
    private(set) var microphones: [MediaDevice] = []
    private(set) var microphone: MediaDevice?
    /// The latest event, to show.
    private(set) var news: String?
    /// How the local video is shown; what is sent or recorded is never mirrored.
    var mirroring = Mirroring.asUsual

    enum Mirroring: String, CaseIterable, Identifiable {
        /// Mirrored, unless the camera faces away from the person.
        case asUsual = "As usual"
        case mirrored = "As in a mirror"
        /// For a camera that shows something else, or an HDMI capture device.
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

    /// `nil` if devices cannot be discovered.
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

    /// Setting it also tells the system, which remembers the choice.
    var chosenCamera: DeviceID? {
        get { camera?.id }
        set { if let newValue { devices?.cameras.choose(newValue) } }
    }

    func switchCamera() { devices?.cameras.switchCamera() }

    /// The camera that ARKit uses.
    var backCamera: MediaDevice? { cameras.first { $0.position == .back && $0.kind == .builtIn } }

    var chosenMicrophone: DeviceID? {
        get { microphone?.id }
        set {
            if let newValue { devices?.microphone.choose(newValue) }
            refresh()
        }
    }

    /// Follows the devices, also while there is no call.
    private func follow() {
        guard let devices else { return }
        let (choices, changes, events) = (
            devices.cameras.changes(), devices.list.changes(), devices.microphone.events()
        )
        Task { [weak self] in for await _ in choices { self?.refresh() } }
        Task { [weak self] in for await _ in changes { self?.refresh() } }
        Task { [weak self] in for await _ in events { self?.refresh() } }
    }

    /// - Parameter event: An event of the controller's devices.
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
