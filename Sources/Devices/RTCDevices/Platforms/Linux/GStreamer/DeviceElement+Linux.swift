#if os(Linux)
    /// The GStreamer element for a device: its name, and the property that selects the device.
    struct DeviceElement {
        /// The element's name and fixed properties, in the syntax of `gst-launch-1.0`.
        let description: String
        let property: String
        /// Comes from the device, so it is not part of any description.
        let value: String
        /// The connection to PipeWire, if the element needs one; it must outlive the element.
        var connection: ServerWatch?

        /// - Throws: ``DeviceError`` `disconnected` if the device is not connected any more, `notFound` if it belongs
        ///   to another system.
        init(_ device: MediaDevice) throws(DeviceError) {
            let service = device.handle.prefix { $0 != ":" }
            guard ["pipewire", "pulse", "v4l2"].contains(service) else {
                throw DeviceError(.notFound, "\(device.name) is no \(device.media.rawValue) of this machine's")
            }
            guard let seen = DeviceHub.shared.device(device.handle) else { throw Self.gone(device) }
            switch (seen.service, seen.media) {
            case (.v4l2, .camera):
                self.init("v4l2src", "device", seen.stableID)
            case (_, .camera):
                let serial = device.handle.split(separator: ".").last.map(String.init) ?? ""
                guard let connection = ServerWatch.pipeWire() else { throw Self.gone(device) }
                self.init("pipewiresrc client-name=duet fd=\(connection.descriptor)", "target-object", serial)
                self.connection = connection
            // A PipeWire device has the same name at PipeWire's PulseAudio server, which GStreamer supports better.
            case (_, .microphone):
                self.init("pulsesrc client-name=duet buffer-time=80000 latency-time=10000", "device", seen.stableID)
            case (_, .speaker):
                self.init("pulsesink client-name=duet buffer-time=60000 latency-time=10000", "device", seen.stableID)
            }
        }

        private init(_ description: String, _ property: String, _ value: String) {
            self.description = description
            self.property = property
            self.value = value
        }

        var name: String { String(description.prefix { $0 != " " }) }

        static func gone(_ device: MediaDevice) -> DeviceError {
            DeviceError(.disconnected, "\(device.name) is not connected any more")
        }
    }
#endif
