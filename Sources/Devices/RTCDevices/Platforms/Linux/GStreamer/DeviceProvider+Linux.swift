#if os(Linux)
    import CGStreamer
    import Glibc

    /// A started device provider of GStreamer. Each kind exists once in a process. Used by one thread.
    final class DeviceProvider {
        enum Event {
            case seen(DeviceDescription)
            case gone(DeviceDescription)
        }

        let service: SeenDevice.Service
        /// The number of this start among those of all providers.
        let generation: Int
        private let gst: GStreamerLibrary
        private let provider: GStreamerObject
        private let bus: GStreamerObject
        private var isStarted = false
        private var functions: CGSTLibrary { gst.functions.pointee }

        /// - Parameter connection: The connection to the server; PipeWire's is used by the provider, and must outlive
        ///   it.
        /// - Returns: `nil` if there is no such provider, or it cannot start.
        init?(
            _ service: SeenDevice.Service, generation: Int, _ connection: ServerWatch?, _ gst: GStreamerLibrary
        ) {
            let name: String
            switch service {
            case .pipeWire: name = "pipewiredeviceprovider"
            case .pulseAudio: name = "pulsedeviceprovider"
            default: name = "v4l2deviceprovider"
            }
            let functions = gst.functions.pointee
            guard let pointer = functions.gst_device_provider_factory_get_by_name(name) else { return nil }
            provider = GStreamerObject(taking: pointer, gst)
            guard let bus = functions.gst_device_provider_get_bus(pointer) else { return nil }
            self.bus = GStreamerObject(taking: bus, gst)
            self.service = service
            self.generation = generation
            self.gst = gst
            if service == .pipeWire, let connection {
                functions.gst_util_set_object_arg(pointer, "fd", String(connection.descriptor))
            }
            // Messages left from an earlier start.
            while let old = functions.gst_bus_timed_pop_filtered(bus, 0, -1) { functions.gst_mini_object_unref(old) }
            isStarted = functions.gst_device_provider_start(pointer) != 0
            guard isStarted else { return nil }
        }

        deinit { if isStarted { functions.gst_device_provider_stop(provider.pointer) } }

        /// Becomes readable when there are events.
        var descriptor: Int32 {
            var poll = CGSTPoll()
            functions.gst_bus_get_pollfd(bus.pointer, &poll)
            return poll.fd
        }

        /// Returns all connected devices.
        func devices() -> [DeviceDescription] {
            let list = functions.gst_device_provider_get_devices(provider.pointer)
            defer { if let list { functions.g_list_free(list) } }
            var (devices, rest) = ([DeviceDescription](), list)
            while let entry = rest {
                if let device = cgst_list_entry(entry) { devices.append(describe(OpaquePointer(device))) }
                rest = cgst_list_rest(entry)
            }
            return devices
        }

        /// Returns the next event, without waiting.
        func nextEvent() -> Event? {
            while let message = functions.gst_bus_timed_pop_filtered(bus.pointer, 0, -1) {
                defer { functions.gst_mini_object_unref(message) }
                var device: OpaquePointer?
                // GST_MESSAGE_DEVICE_ADDED, ..._REMOVED and ..._CHANGED
                switch cgst_message_type(message) {
                case 1 << 31 + 1:
                    functions.gst_message_parse_device_added(message, &device)
                    if let device { return .seen(describe(device)) }
                case 1 << 31 + 2:
                    functions.gst_message_parse_device_removed(message, &device)
                    if let device { return .gone(describe(device)) }
                case 1 << 31 + 7:
                    var old: OpaquePointer?
                    functions.gst_message_parse_device_changed(message, &device, &old)
                    if let old { functions.gst_object_unref(UnsafeMutableRawPointer(old)) }
                    if let device { return .seen(describe(device)) }
                default: break
                }
            }
            return nil
        }

        /// - Parameter device: A reference, which this method releases.
        private func describe(_ device: OpaquePointer) -> DeviceDescription {
            defer { functions.gst_object_unref(UnsafeMutableRawPointer(device)) }
            var description = DeviceDescription(
                service: service, generation: generation,
                name: text(functions.gst_device_get_display_name(device)),
                deviceClass: text(functions.gst_device_get_device_class(device)), caps: "", properties: [:])
            if let caps = functions.gst_device_get_caps(device) {
                description.caps = text(functions.gst_caps_to_string(caps))
                functions.gst_mini_object_unref(caps)
            }
            if let properties = functions.gst_device_get_properties(device) {
                for key in DeviceDescription.keys {
                    guard let value = functions.gst_structure_get_string(properties, key) else { continue }
                    description.properties[key] = String(cString: value)
                }
                functions.gst_structure_free(properties)
            }
            if service == .pulseAudio { description.internalName = property("internal-name", of: device) }
            if service == .v4l2 {
                description.properties["device.path"] = property("device-path", of: device)
            }
            return description
        }

        private func property(_ name: String, of device: OpaquePointer) -> String? {
            var text = [CChar](repeating: 0, count: 512)
            guard cgst_text_property(gst.functions, UnsafeMutableRawPointer(device), name, &text, text.count) != 0
            else {
                return nil
            }
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        /// Converts a string of GLib and frees it.
        private func text(_ text: UnsafeMutablePointer<CChar>?) -> String {
            guard let text else { return "" }
            defer { functions.g_free(text) }
            return String(cString: text)
        }
    }
#endif
