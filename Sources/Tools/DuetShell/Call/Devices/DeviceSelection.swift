import RTCDevices

/// The camera, microphone or loudspeaker that the command line selects.
package enum DeviceSelection: Sendable, Equatable {
    /// The device that the machine prefers.
    case any
    case none
    /// The device with this identifier or name, or with a name that contains this text.
    case named(String)

    package init(_ text: String) {
        switch text {
        case "any", "default": self = .any
        case "none": self = .none
        default: self = .named(text)
        }
    }

    /// Returns whether a device is selected.
    static func isWanted(_ selection: DeviceSelection?) -> Bool {
        selection != nil && selection != DeviceSelection.none
    }
}

extension MediaDevice {
    /// Returns the device with this identifier or name, or the only one whose name contains this text.
    ///
    /// - Parameter subject: The option, such as `--camera`, with which an error message begins.
    /// - Throws: ``Refusal``, whose message lists the connected devices.
    static func named(
        _ text: String, _ media: Media, among devices: [MediaDevice], subject: String
    ) throws(Refusal) -> MediaDevice {
        let devices = devices.filter { $0.media == media }
        if let device = devices.first(where: { $0.id.rawValue == text }) { return device }
        let wanted = text.lowercased()
        let same = devices.filter { $0.name.lowercased() == wanted }
        let similar = wanted.isEmpty ? [] : devices.filter { $0.name.lowercased().contains(wanted) }
        if let device = same.first ?? (similar.count == 1 ? similar[0] : nil) { return device }
        guard !devices.isEmpty else { throw Refusal("\(subject) \(text): no \(media.rawValue) is connected") }
        let names = devices.map { "“\($0.name)”" }.joined(separator: ", ")
        let reason = similar.isEmpty ? "there is no such \(media.rawValue)" : "several are called so"
        throw Refusal("\(subject) \(text): \(reason); there are \(names), see “duet devices”")
    }
}
