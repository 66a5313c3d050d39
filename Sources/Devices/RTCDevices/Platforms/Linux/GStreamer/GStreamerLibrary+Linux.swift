#if os(Linux)
    package import CGStreamer

    /// GStreamer, loaded and initialized on first use.
    package struct GStreamerLibrary: @unchecked Sendable {
        /// Never freed, never changed. GStreamer may be called from any thread.
        package let functions: UnsafePointer<CGSTLibrary>

        #if GStreamer
            package static let shared = Result { () throws(DeviceError) in
                try GStreamerLibrary(name: "libgstapp-1.0.so.0")
            }
        #else
            /// Not searched: such a build is meant for machines without devices.
            package static let shared = Result<GStreamerLibrary, DeviceError>.failure(
                DeviceError(
                    .unavailable,
                    "cameras, microphones, loudspeakers, films and recordings need GStreamer, and this program was built without it: enable the package's trait GStreamer"
                ))
        #endif

        /// - Throws: ``DeviceError`` `unavailable`.
        init(name: String) throws(DeviceError) {
            var reason = [CChar](repeating: 0, count: 512)
            guard let functions = cgst_load(name, &reason, reason.count) else {
                let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                throw DeviceError(
                    .unavailable,
                    "films, loudspeakers and recordings need GStreamer; install it (\(Self.packages)): \(text)")
            }
            self.functions = functions
            var error: OpaquePointer?
            guard functions.pointee.gst_init_check(nil, nil, &error) != 0 else {
                throw DeviceError(.unavailable, "GStreamer does not start: \(text(of: error))")
            }
        }

        /// Uses the given functions, in tests.
        init(functions: UnsafePointer<CGSTLibrary>) { self.functions = functions }

        package static let packages = "Debian: gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-libav"

        /// - Throws: ``DeviceError`` `unavailable`, naming those of `elements` that are not installed.
        package func require(_ elements: [String]) throws(DeviceError) {
            let missing = elements.filter { !has($0) }
            guard missing.isEmpty else {
                throw DeviceError(
                    .unavailable,
                    "GStreamer lacks \(missing.joined(separator: ", ")); install its plug-ins (\(Self.packages))")
            }
        }

        package func has(_ element: String) -> Bool {
            guard let factory = functions.pointee.gst_element_factory_find(element) else { return false }
            functions.pointee.gst_object_unref(UnsafeMutableRawPointer(factory))
            return true
        }

        /// Returns the message of an error, and frees the error.
        func text(of error: OpaquePointer?) -> String {
            guard let error else { return "it gives no reason" }
            defer { functions.pointee.g_error_free(error) }
            return String(cString: cgst_error_message(error))
        }
    }

    /// A reference to a GStreamer object, released with the last holder.
    package final class GStreamerObject: @unchecked Sendable {
        package let pointer: OpaquePointer
        private let functions: UnsafePointer<CGSTLibrary>

        /// - Parameter pointer: A reference, which this object takes over.
        package init(taking pointer: OpaquePointer, _ gst: GStreamerLibrary) {
            self.pointer = pointer
            functions = gst.functions
        }

        deinit { functions.pointee.gst_object_unref(UnsafeMutableRawPointer(pointer)) }
    }
#endif
