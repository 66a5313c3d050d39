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

        static let handlePrefix = "port:"
    }

    /// - Parameters:
    ///   - ports: What may be asked for; empty while the app's audio session does not record.
    ///   - device: The one device, by its handle and its name at present.
    ///   - cameras: Of which one may have a microphone in its housing: that is called after the camera.
    /// - Returns: Each port as a microphone; while there are none, the one device.
    static func microphones(
        _ ports: [Port], device: (handle: String, name: String)?, cameras: [SeenDevice] = []
    ) -> [SeenDevice] {
        guard ports.isEmpty else {
            return ports.map { port in
                SeenDevice(
                    service: .avFoundation, handle: Port.handlePrefix + port.id, stableID: port.id, media: .microphone,
                    name: port.name, kind: port.isBuiltIn ? .builtIn : .external,
                    group: port.isBuiltIn ? nil : group(of: port, cameras))
            }
        }
        return device.map { device in
            [
                SeenDevice(
                    service: .avFoundation, handle: device.handle, stableID: "microphone", media: .microphone,
                    name: device.name, kind: .builtIn)
            ]
        } ?? []
    }

    private static func group(of port: Port, _ cameras: [SeenDevice]) -> String? {
        cameras.first { $0.group != nil && !$0.name.isEmpty && isCalled(port.name, after: $0.name) }?.group
    }

    /// "Studio Display Microphone" is called after "Studio Display Camera": they begin with the same words.
    private static func isCalled(_ name: String, after camera: String) -> Bool {
        let words = camera.split(separator: " ").filter { $0.lowercased() != "camera" }
        return !words.isEmpty && name.split(separator: " ").starts(with: words)
    }

    /// The port that a microphone's handle stands for; `nil` of the one device, for which the system chooses.
    static func port(of handle: String) -> String? {
        handle.hasPrefix(Port.handlePrefix) ? String(handle.dropFirst(Port.handlePrefix.count)) : nil
    }
}
