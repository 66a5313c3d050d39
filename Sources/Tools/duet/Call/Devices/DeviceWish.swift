import RTCDevices

/// Which camera, microphone or loudspeaker a call is to use, as a person says it.
enum DeviceWish: Sendable, Equatable {
    /// Whichever the machine prefers.
    case any
    case none
    /// An identifier, or a name, or a part of one that says which.
    case named(String)

    init(_ text: String) {
        switch text {
        case "any", "default": self = .any
        case "none": self = .none
        default: self = .named(text)
        }
    }

    /// Whether a device is wanted at all.
    static func isWanted(_ wish: DeviceWish?) -> Bool { wish != nil && wish != DeviceWish.none }
}

extension MediaDevice {
    /// The device that a person means: by its identifier, by its name, or by a part of the name that no other has.
    ///
    /// - Parameter subject: What they named it for, such as `--camera`, to begin an error with.
    /// - Throws: ``CallRefusal``, one line with the devices that there are.
    static func named(
        _ text: String, _ media: Media, among devices: [MediaDevice], subject: String
    ) throws(CallRefusal) -> MediaDevice {
        let devices = devices.filter { $0.media == media }
        if let device = devices.first(where: { $0.id.rawValue == text }) { return device }
        let wanted = text.lowercased()
        let same = devices.filter { $0.name.lowercased() == wanted }
        let similar = wanted.isEmpty ? [] : devices.filter { $0.name.lowercased().contains(wanted) }
        if let device = same.first ?? (similar.count == 1 ? similar[0] : nil) { return device }
        guard !devices.isEmpty else { throw CallRefusal("\(subject) \(text): no \(media.rawValue) is connected") }
        let names = devices.map { "“\($0.name)”" }.joined(separator: ", ")
        let reason = similar.isEmpty ? "there is no such \(media.rawValue)" : "several are called so"
        throw CallRefusal("\(subject) \(text): \(reason); there are \(names), see “duet devices”")
    }
}
