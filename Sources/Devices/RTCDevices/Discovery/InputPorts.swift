/// The microphones of a system that routes sound by itself (iOS): one device, whose name follows the route, and ports of which
/// one may be asked for.
enum InputPorts {
    /// The handle of the one microphone where no framework has an object for it (visionOS).
    static let builtIn = "microphone"

    /// A way by which sound comes in.
    struct Port: Sendable, Hashable {
        var id: String
        var name: String
        var isBuiltIn: Bool
        /// Whether the system records by it at present.
        var isRouted = false

        static let handlePrefix = "port:"
    }

    /// The built-in port is the one device, under another name: what is used does not vanish from the list when the app begins to
    /// record, which is when ports appear.
    ///
    /// - Parameters:
    ///   - ports: What may be asked for; empty while the app's audio session does not record.
    ///   - device: The one device, by its handle and its name at present.
    ///   - cameras: Of which one may have a microphone in its housing: that is called after the camera.
    /// - Returns: Each port as a microphone; the one device where no port is built in.
    static func microphones(
        _ ports: [Port], device: (handle: String, name: String)?, cameras: [SeenDevice] = []
    ) -> [SeenDevice] {
        var device = device
        // Whoever wears a headset speaks into that, until they choose otherwise.
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
        cameras.first { $0.group != nil && !$0.name.isEmpty && isCalled(port.name, after: $0.name) }?.group
    }

    /// "Studio Display Microphone" is called after "Studio Display Camera": they begin with the same words.
    private static func isCalled(_ name: String, after camera: String) -> Bool {
        let words = camera.split(separator: " ").filter { $0.lowercased() != "camera" }
        return !words.isEmpty && name.split(separator: " ").starts(with: words)
    }

    /// The port to ask for when a microphone of this handle is opened.
    ///
    /// - Returns: `nil` where the system has nothing to choose from yet, or chooses itself.
    static func port(of handle: String, among ports: [Port]) -> String? {
        if handle.hasPrefix(Port.handlePrefix) { return String(handle.dropFirst(Port.handlePrefix.count)) }
        return ports.count > 1 ? ports.first { $0.isBuiltIn }?.id : nil
    }
}
