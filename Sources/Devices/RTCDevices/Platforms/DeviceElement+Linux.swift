#if os(Linux)
    /// GStreamer's element for a device: what it is called, and the property that says which device is meant.
    struct DeviceElement {
        /// Its name and those properties that are ours, as `gst-launch-1.0` takes them.
        let description: String
        let property: String
        /// Comes from the device: not a part of any description.
        let value: String
        /// To PipeWire, if the element needs it; has to live longer than the element.
        var connection: ServerWatch?

        /// - Throws: ``DeviceError`` `disconnected` for a device that is not there any more, `notFound` for none of this
        ///   system's.
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
            // A device of PipeWire's has the same name at its PulseAudio server, which GStreamer knows better.
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
