import RTC
import RTCDevices
import RTCFrames
import WebRTCKit

/// The machine's devices, if a call uses any.
struct CallMachine: Sendable {
    let devices: MediaDevices
    /// Whether the machine's camera, and its microphone, is sent.
    var sendsPicture: Bool
    var sendsSound: Bool
    /// Whether received audio is played.
    var isHeard: Bool

    /// - Returns: `nil` where no device of the machine is wanted by name or kind.
    /// - Throws: ``Refusal``: there is no such device, or nothing that could know.
    static func open(_ options: CallMedia, playsSound: Bool) throws(Refusal) -> CallMachine? {
        let isSpeakerNamed = if case .named? = options.speaker { true } else { false }
        let (picture, sound) = (DeviceSelection.isWanted(options.camera), DeviceSelection.isWanted(options.microphone))
        guard picture || sound || isSpeakerNamed else { return nil }
        do throws(DeviceError) {
            let devices = try MediaDevices(
                store: CameraHistoryFile(app: "duet"),
                request: options.size.map { CaptureRequest(width: $0.width, height: $0.height) } ?? .hd720)
            let machine = CallMachine(
                devices: devices, sendsPicture: picture, sendsSound: sound, isHeard: playsSound)
            return try machine.choosing(options)
        } catch {
            throw Refusal("the devices of this machine cannot be used: \(error.message)")
        }
    }

    private func choosing(_ options: CallMedia) throws(DeviceError) -> CallMachine {
        do throws(Refusal) {
            for (media, option, selection) in [
                (MediaDevice.Media.camera, "--camera", options.camera),
                (.microphone, "--microphone", options.microphone), (.speaker, "--speaker", options.speaker),
            ] {
                if case .named(let text)? = selection { _ = try choose(media, text, subject: option) }
            }
        } catch {
            throw DeviceError(.notFound, error.description)
        }
        return self
    }

    /// Selects this device at once.
    func choose(_ media: MediaDevice.Media, _ text: String, subject: String) throws(Refusal) -> MediaDevice {
        if media == .speaker, DeviceSelection(text) == .any {
            devices.speaker?.choose(nil)
            return .defaultSpeaker
        }
        let device = try MediaDevice.named(text, media, among: devices.list.devices, subject: subject)
        switch media {
        case .camera: devices.cameras.choose(device.id)
        case .microphone: devices.microphone.choose(device.id)
        case .speaker: devices.speaker?.choose(device.id)
        }
        return device
    }

    /// Whether the device is used, or about to be opened.
    func isUsed(_ device: MediaDevice) -> Bool {
        switch device.media {
        case .camera: sendsPicture && devices.cameras.choice.current?.isSameInstance(as: device) == true
        case .microphone: sendsSound && devices.microphone.choice.current?.isSameInstance(as: device) == true
        case .speaker: isHeard && devices.speaker?.device?.isSameInstance(as: device) == true
        }
    }
}

/// Discards audio.
final class Silence: AudioSink {
    func deliver(_ frame: AudioFrame) {}
}
