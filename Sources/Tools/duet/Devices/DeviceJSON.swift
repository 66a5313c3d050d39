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
        .object(["event": event, "device": Self.device(device)])
    }

    static func device(_ device: MediaDevice) -> JSONValue {
        var members: Members = [
            "id": device.id.rawValue, "name": device.name, "kind": device.kind.rawValue, "media": device.media.rawValue,
            "instance": device.instance,
        ]
        if let group = device.group { members["group"] = group }
        guard device.media == .camera else { return .object(members) }
        members += [
            "position": device.position.rawValue, "mounting": device.mounting.degrees,
            "formats": device.formats.map { Self.format($0) }, "controls": Self.controls(device.controls),
        ]
        return .object(members)
    }

    /// The supported controls.
    private static func controls(_ controls: CameraControls) -> JSONValue {
        var members: Members = [:]
        if let zoom = controls.zoom { members["zoom"] = Self.range(zoom) }
        let focus = CameraControls.FocusMode.allCases.filter(controls.focusModes.contains)
        if !focus.isEmpty { members["focus"] = focus.map(\.rawValue) }
        let exposure = CameraControls.ExposureMode.allCases.filter(controls.exposureModes.contains)
        if !exposure.isEmpty { members["exposure"] = exposure.map(\.rawValue) }
        if let bias = controls.exposureBias { members["exposureBias"] = Self.range(bias) }
        return .object(members)
    }

    private static func format(_ format: CameraFormat) -> JSONValue {
        .object([
            "width": format.width, "height": format.height, "pixelFormat": format.pixelFormat.rawValue,
            "frameRates": format.frameRates.map { Self.range($0) },
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
