import RTCWire

@testable import RTCDevices

/// The cameras of a tablet and what is plugged into it, as values.
enum Cameras {
    static let front = MediaDevice(
        id: "front", media: .camera, name: "Front Camera", kind: .builtIn, position: .front, mounting: .clockwise90)
    static let back = MediaDevice(
        id: "back", instance: 2, media: .camera, name: "Back Camera", kind: .builtIn, position: .back,
        mounting: .clockwise90)
    static let display = MediaDevice(
        id: "display", instance: 3, media: .camera, name: "Studio Display Camera", kind: .external, group: "display")
    static let webcam = MediaDevice(
        id: "webcam", instance: 4, media: .camera, name: "USB Camera", kind: .external)
    static let film = MediaDevice(
        id: "film", instance: 5, media: .camera, name: "A program's camera", kind: .virtual)

    static let tablet = [front, back]
}

extension MediaDevice {
    /// The same camera, plugged in again.
    func again(_ instance: Int) -> MediaDevice {
        MediaDevice(
            id: id, instance: instance, media: media, name: name, kind: kind, position: position, formats: formats,
            controls: controls, mounting: mounting, group: group, isReady: isReady, handle: handle)
    }

    /// The same device, when the system's service is back.
    func returned(_ instance: Int) -> MediaDevice {
        var other = again(instance)
        other.isReturned = true
        return other
    }

    var notReady: MediaDevice {
        var other = self
        other.isReady = false
        return other
    }
}
