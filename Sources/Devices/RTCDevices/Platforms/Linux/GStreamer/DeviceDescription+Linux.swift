#if os(Linux)
    import RTCWire

    /// A device as described by one of GStreamer's device providers, and its conversion to a ``SeenDevice``.
    struct DeviceDescription {
        var service: SeenDevice.Service
        /// The number of the service's start.
        var generation: Int
        var name: String
        /// For example `Video/Source`.
        var deviceClass: String
        var caps: String
        var properties: [String: String]
        /// The service's name of the device, if the properties do not contain it.
        var internalName: String?
        /// The root of the kernel's sysfs.
        var root = "/sys"
        /// Reads the controls of a node; `nil` if it cannot be opened.
        var controls: (String) -> CameraControls? = { KnownControls.shared.controls(ofNode: $0) }

        /// The properties that are read.
        static let keys = [
            "node.name", "node.virtual", "object.serial", "object.id", "media.role", "media.class", "device.class",
            "device.api", "device.bus", "device.bus-path", "device.bus_path", "device.path", "device.devids",
            "device.form-factor", "device.form_factor", "device.serial", "device.string", "factory.name",
            "api.v4l2.path", "api.libcamera.path", "api.libcamera.location", "api.libcamera.rotation", "alsa.card",
            "api.alsa.pcm.card",
        ]

        /// - Returns: `nil` if the device is no camera, microphone or speaker.
        func seen() -> SeenDevice? {
            guard let media, let identity else { return nil }
            var device = SeenDevice(
                service: service == .pipeWire && isLibcamera ? .libcamera : service, handle: handle(identity),
                stableID: identity, hardware: media == .camera ? videoNode : nil, media: media, name: shownName)
            let place = self.place
            device.group = place?.group ?? properties["device.bus-path"] ?? properties["device.bus_path"]
            device.kind = kind(place)
            device.isMonitor = media == .microphone && properties["device.class"] == "monitor"
            guard media == .camera else { return device }
            switch properties["api.libcamera.location"] {
            case "front": device.position = .front
            case "back": device.position = .back
            default: break
            }
            device.mounting = mounting
            let caps = CapsFormats(caps)
            device.formats = caps.formats
            device.isInfrared = caps.isGrey || saysInfrared
            if let videoNode {
                let controls = controls(videoNode)
                device.controls = controls ?? CameraControls()
                // PipeWire opens its nodes itself, and may have more permissions than this process.
                if service == .v4l2 { device.isReady = controls != nil }
            }
            return device
        }

        private var media: MediaDevice.Media? {
            switch deviceClass {
            case "Video/Source", "Source/Video", "Video/Source/Virtual", "Video/CameraSource":
                // A PipeWire node may also be a screen.
                properties["media.role"].map { $0 == "Camera" } ?? true ? .camera : nil
            case "Audio/Source", "Audio/Source/Virtual", "Audio/Duplex": .microphone
            case "Audio/Sink": .speaker
            default: nil
            }
        }

        /// An identifier that stays the same when the device is plugged in again.
        private var identity: String? {
            switch service {
            case .v4l2: properties["device.path"]
            case .pulseAudio: internalName ?? properties["node.name"]
            default: properties["node.name"]
            }
        }

        private func handle(_ identity: String) -> String {
            switch service {
            case .pipeWire, .libcamera:
                "pipewire:\(generation).\(properties["object.serial"] ?? properties["object.id"] ?? identity)"
            case .pulseAudio: "pulse:\(media == .speaker ? "sink" : "source"):\(identity)"
            default: "v4l2:\(identity)"
            }
        }

        private var shownName: String { String((name.isEmpty ? identity ?? "" : name).prefix(256)) }

        private var isLibcamera: Bool {
            properties["device.api"] == "libcamera" || properties["api.libcamera.path"] != nil
        }

        private var videoNode: String? {
            if let path = properties["api.v4l2.path"] { return path }
            if service == .v4l2 { return properties["device.path"] }
            let digits = properties["device.devids"]?.split { !$0.isNumber }.first
            return digits.flatMap { UInt64($0) }.flatMap { HardwarePlace.node(ofDeviceNumber: $0, root: root) }
        }

        private var place: HardwarePlace? {
            if media == .camera { return videoNode.map { HardwarePlace(videoNode: $0, root: root) } }
            let card = (properties["alsa.card"] ?? properties["api.alsa.pcm.card"]).flatMap { Int($0) }
            return card.map { HardwarePlace(soundCard: $0, root: root) }
        }

        private func kind(_ place: HardwarePlace?) -> MediaDevice.Kind {
            switch properties["api.libcamera.location"] {
            case "front", "back": return .builtIn
            case "external": return .external
            default: break
            }
            if properties["node.virtual"] == "true" || properties["factory.name"] == "support.null-audio-sink"
                || deviceClass.hasSuffix("/Virtual")
            {
                return .virtual
            }
            if let isRemovable = place?.isRemovable { return isRemovable ? .external : .builtIn }
            switch properties["device.form-factor"] ?? properties["device.form_factor"] {
            case "internal": return .builtIn
            case .some: return .external
            case nil: break
            }
            switch properties["device.bus"] {
            case "pci", "platform", "isa": return .builtIn
            case .some: return .external
            case nil: break
            }
            // A node without a kernel device belongs to a program.
            let isHardware =
                properties["device.api"] != nil || videoNode != nil || place != nil || service != .pipeWire
            return isHardware ? .external : .virtual
        }

        /// libcamera counts the rotation that makes images upright counter-clockwise.
        private var mounting: VideoRotation {
            switch properties["api.libcamera.rotation"].flatMap({ Int($0) }) {
            case 90: .clockwise270
            case 180: .clockwise180
            case 270: .clockwise90
            default: .none
            }
        }

        private var saysInfrared: Bool {
            name.lowercased().split { !$0.isLetter }.contains { $0 == "ir" || $0 == "infrared" }
        }
    }
#endif
