import DuetShell
import RTCDevices
import RTCWire

/// Devices as JSON: one line per change.
///
/// ```json
/// {"event":"added","device":{"id":"cam0","name":"Desk","kind":"external","media":"camera","position":"unspecified",…}}
/// ```
extension JSONValue {
    static func change(_ event: String, _ device: MediaDevice) -> JSONValue {
        .object([.init("event", .string(event)), .init("device", .device(device))])
    }

    static func device(_ device: MediaDevice) -> JSONValue {
        var members: [Member] = [
            .init("id", .string(device.id.rawValue)), .init("name", .string(device.name)),
            .init("kind", .string(device.kind.rawValue)), .init("media", .string(device.media.rawValue)),
            .init("instance", .integer(device.instance)),
        ]
        if let group = device.group { members.append(.init("group", .string(group))) }
        guard device.media == .camera else { return .object(members) }
        members += [
            .init("position", .string(device.position.rawValue)), .init("mounting", .integer(device.mounting.degrees)),
            .init("formats", .array(device.formats.map { .format($0) })),
            .init("controls", .controls(device.controls)),
        ]
        return .object(members)
    }

    /// The supported controls.
    private static func controls(_ controls: CameraControls) -> JSONValue {
        var members: [Member] = []
        if let zoom = controls.zoom { members.append(.init("zoom", .range(zoom))) }
        let focus = CameraControls.FocusMode.allCases.filter(controls.focusModes.contains)
        if !focus.isEmpty { members.append(.init("focus", .array(focus.map { .string($0.rawValue) }))) }
        let exposure = CameraControls.ExposureMode.allCases.filter(controls.exposureModes.contains)
        if !exposure.isEmpty { members.append(.init("exposure", .array(exposure.map { .string($0.rawValue) }))) }
        if let bias = controls.exposureBias { members.append(.init("exposureBias", .range(bias))) }
        return .object(members)
    }

    private static func format(_ format: CameraFormat) -> JSONValue {
        .object([
            .init("width", .integer(format.width)), .init("height", .integer(format.height)),
            .init("pixelFormat", .string(format.pixelFormat.rawValue)),
            .init("frameRates", .array(format.frameRates.map { .range($0) })),
        ])
    }

    private static func range(_ range: ClosedRange<Double>) -> JSONValue {
        .array([.decimal(range.lowerBound, places: 2), .decimal(range.upperBound, places: 2)])
    }
}

extension MediaDevice {
    /// For a person: one line.
    var line: String {
        var line = "\(media.rawValue)  \(name)  [\(id.rawValue)]  \(kind.rawValue)"
        guard media == .camera else { return line }
        if position != .unspecified { line += ", \(position.rawValue)" }
        var sizes: [String] = []
        for format in formats {
            let size = "\(format.width)×\(format.height)"
            if !sizes.contains(size) { sizes.append(size) }
        }
        if !sizes.isEmpty {
            line += ", \(sizes.prefix(6).joined(separator: " "))\(sizes.count > 6 ? " …" : "")"
        }
        return line
    }
}
