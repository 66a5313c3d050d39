/// The microphones of a system that routes audio by itself (iOS): one device, whose name follows the route, and ports
/// of which one can be preferred.
enum InputPorts {
    /// The handle of the single microphone where no framework has an object for it (visionOS).
    static let builtIn = "microphone"

    /// An audio input.
    struct Port: Sendable, Hashable {
        var id: String
        var name: String
        var isBuiltIn: Bool
        /// Whether the system currently records from it.
        var isRouted = false

        static let handlePrefix = "port:"
    }

    /// The built-in port is the single device, under another name: so the device in use does not vanish from the list
    /// when the app begins to record, which is when ports appear.
    ///
    /// - Parameters:
    ///   - ports: The available ports; empty while the app's audio session does not record.
    ///   - device: The single device's handle and current name.
    ///   - cameras: The cameras, one of which may have a microphone in its housing that is named like the camera.
    /// - Returns: Each port as a microphone, and the single device if no port is built in.
    static func microphones(
        _ ports: [Port], device: (handle: String, name: String)?, cameras: [SeenDevice] = []
    ) -> [SeenDevice] {
        var device = device
        // The built-in microphone is not ready while audio is routed to a headset, until the person chooses otherwise.
        let isElsewhere = ports.contains { $0.isRouted && !$0.isBuiltIn }
        let microphones = ports.map { port in
            guard port.isBuiltIn else {
                return microphone(Port.handlePrefix + port.id, port.id, port.name, group: group(of: port, cameras))
            }
            defer { device = nil }
            let id = device == nil ? port.id : oneID
            return microphone(
                device?.handle ?? Port.handlePrefix + port.id, id, port.name, kind: .builtIn, isReady: !isElsewhere)
        }
        let one = device.map { microphone($0.handle, oneID, $0.name, kind: .builtIn, isReady: !isElsewhere) }
        return (one.map { [$0] } ?? []) + microphones
    }

    private static let oneID = "microphone"

    private static func microphone(
        _ handle: String, _ id: String, _ name: String, kind: MediaDevice.Kind = .external, group: String? = nil,
        isReady: Bool = true
    ) -> SeenDevice {
        SeenDevice(
            service: .avFoundation, handle: handle, stableID: id, media: .microphone, name: name, kind: kind,
            group: group, isReady: isReady)
    }

    private static func group(of port: Port, _ cameras: [SeenDevice]) -> String? {
        cameras.first { $0.group != nil && !$0.name.isEmpty && isNamed(port.name, after: $0.name) }?.group
    }

    /// "Studio Display Microphone" belongs to "Studio Display Camera": both names begin with the same words.
    private static func isNamed(_ name: String, after camera: String) -> Bool {
        let words = camera.split(separator: " ").filter { $0.lowercased() != "camera" }
        return !words.isEmpty && name.split(separator: " ").starts(with: words)
    }

    /// The port to prefer when a microphone with this handle is opened.
    ///
    /// - Returns: `nil` if the system has no choice yet, or chooses by itself.
    static func port(of handle: String, among ports: [Port]) -> String? {
        if handle.hasPrefix(Port.handlePrefix) { return String(handle.dropFirst(Port.handlePrefix.count)) }
        return ports.count > 1 ? ports.first { $0.isBuiltIn }?.id : nil
    }
}
