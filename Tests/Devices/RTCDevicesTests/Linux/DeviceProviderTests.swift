#if os(Linux)
    import CGStreamer
    import Glibc
    import Synchronization
    import Testing

    @testable import RTCDevices

    // What the functions of a provider without any device behind it have been asked for. Functions of C capture nothing.
    private let starts = Atomic(0)
    private let stops = Atomic(0)
    private let given = Atomic(0)
    private let returned = Atomic(0)
    private let canStart = Atomic(true)

    /// Each device is a reference of its own, which whoever asked gives back.
    nonisolated(unsafe) private let device = UnsafeMutableRawPointer(bitPattern: 0xD0)
    nonisolated(unsafe) private let provider = UnsafeMutableRawPointer(bitPattern: 0xA0)
    nonisolated(unsafe) private let bus = UnsafeMutableRawPointer(bitPattern: 0xB0)

    /// An entry of a list of GLib's: what it holds, the next, the one before.
    private func list(_ held: UnsafeMutableRawPointer?, _ next: OpaquePointer?) -> OpaquePointer? {
        guard let entry = calloc(3, MemoryLayout<OpaquePointer?>.stride) else { return nil }
        entry.storeBytes(of: held.map { OpaquePointer($0) }, as: OpaquePointer?.self)
        entry.storeBytes(of: next, toByteOffset: MemoryLayout<OpaquePointer?>.stride, as: OpaquePointer?.self)
        return OpaquePointer(entry)
    }

    @Suite("A provider of devices", .serialized)
    struct DeviceProviderTests {
        /// GStreamer's functions, with a provider that has two devices without a word about either.
        private static func library() throws -> GStreamerLibrary {
            let functions = UnsafeMutablePointer<CGSTLibrary>.allocate(capacity: 1)
            functions.initialize(to: try GStreamerLibrary.shared.get().functions.pointee)
            functions.pointee.gst_device_provider_factory_get_by_name = { _ in OpaquePointer(provider) }
            functions.pointee.gst_device_provider_get_bus = { _ in OpaquePointer(bus) }
            functions.pointee.gst_bus_timed_pop_filtered = { _, _, _ in nil }
            functions.pointee.gst_device_provider_start = { _ in
                starts.add(1, ordering: .relaxed)
                return canStart.load(ordering: .relaxed) ? 1 : 0
            }
            functions.pointee.gst_device_provider_stop = { _ in stops.add(1, ordering: .relaxed) }
            functions.pointee.gst_device_provider_get_devices = { _ in
                given.add(2, ordering: .relaxed)
                return list(device, list(device, nil))
            }
            functions.pointee.g_list_free = { list in
                var rest = list
                while let entry = rest {
                    rest = cgst_list_rest(entry)
                    free(UnsafeMutableRawPointer(entry))
                }
            }
            functions.pointee.gst_device_get_display_name = { _ in nil }
            functions.pointee.gst_device_get_device_class = { _ in nil }
            functions.pointee.gst_device_get_caps = { _ in nil }
            functions.pointee.gst_device_get_properties = { _ in nil }
            functions.pointee.gst_object_unref = { object in
                if object == device { returned.add(1, ordering: .relaxed) }
            }
            return GStreamerLibrary(functions: UnsafePointer(functions))
        }

        private static func reset(canStart can: Bool) {
            starts.store(0, ordering: .relaxed)
            stops.store(0, ordering: .relaxed)
            given.store(0, ordering: .relaxed)
            returned.store(0, ordering: .relaxed)
            canStart.store(can, ordering: .relaxed)
        }

        @Test("One that cannot start is none, and is not stopped either")
        func doesNotStart() throws {
            Self.reset(canStart: false)
            #expect(DeviceProvider(.pipeWire, generation: 1, nil, try Self.library()) == nil)
            #expect(starts.load(ordering: .relaxed) == 1)
            #expect(stops.load(ordering: .relaxed) == 0)
        }

        @Test("Every device that is described is given back")
        func references() throws {
            Self.reset(canStart: true)
            do {
                let provider = try #require(DeviceProvider(.pipeWire, generation: 1, nil, try Self.library()))
                for _ in 0..<3 { #expect(provider.devices().count == 2) }
            }
            #expect(given.load(ordering: .relaxed) == 6)
            #expect(returned.load(ordering: .relaxed) == 6)
            #expect(stops.load(ordering: .relaxed) == 1)
        }
    }
#endif
