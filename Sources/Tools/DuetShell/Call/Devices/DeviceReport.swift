import RTCDevices

/// An event of a device in a call, for a person and for a script.
struct DeviceReport: Sendable, Equatable {
    var media: MediaDevice.Media
    var state: String
    var device: MediaDevice?
    /// A human-readable message.
    var message: String

    /// - Returns: `nil` for events that concern only a preview.
    init?(_ event: DeviceFeedEvent, _ media: MediaDevice.Media) {
        self.media = media
        switch event {
        case .using(let device):
            (state, self.device, message) = ("using", device, "The \(media.rawValue) is “\(device.name)”.")
        case .lost(let device):
            (state, self.device, message) = ("lost", device, "“\(device.name)” was unplugged.")
        case .failed(let device, let error):
            (state, self.device) = ("failed", device)
            message = "“\(device.name)” cannot be used: \(error.message)"
        case .interrupted(let device, let reason):
            (state, self.device, message) = ("interrupted", device, "“\(device.name)” pauses: \(reason)")
        case .resumed(let device):
            (state, self.device, message) = ("resumed", device, "“\(device.name)” goes on.")
        case .none:
            state = "none"
            message =
                media == .camera
                ? "There is no camera: the other side sees black until one is plugged in."
                : "There is no \(media.rawValue): plug one in."
        case .turned: return nil
        }
    }

    var event: JSONValue {
        var members: JSONValue.Members = ["media": media.rawValue, "state": state]
        if let device { members["device"] = device.summary }
        members["message"] = message
        return .event("device", members)
    }
}

extension MediaDevice {
    /// The members that identify a device.
    var summary: JSONValue {
        .object(["id": id.rawValue, "name": name, "kind": kind.rawValue])
    }
}
