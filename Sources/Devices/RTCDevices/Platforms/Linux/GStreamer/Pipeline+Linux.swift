#if os(Linux)
    package import CGStreamer

    /// A GStreamer pipeline, which stops when the last reference is released. That must not happen on one of the
    /// pipeline's own threads, so callbacks do not retain the pipeline.
    package final class Pipeline: @unchecked Sendable {
        /// GstState
        package enum State: UInt32 {
            case null = 1
            case ready, paused, playing
        }

        /// A message from the pipeline.
        package enum Message {
            case error(String)
            case endOfStream
            /// The pipeline has reached the requested state.
            case ready
        }

        let gst: GStreamerLibrary
        package let pointer: OpaquePointer
        private let bus: GStreamerObject
        private var functions: CGSTLibrary { gst.functions.pointee }

        /// - Parameter description: In the syntax of `gst-launch-1.0`. It must not contain text from outside.
        /// - Throws: ``DeviceError`` `unavailable` if elements are not installed.
        package init(_ description: String, _ gst: GStreamerLibrary) throws(DeviceError) {
            self.gst = gst
            var error: OpaquePointer?
            guard let pointer = gst.functions.pointee.gst_parse_launch(description, &error) else {
                throw DeviceError(
                    .unavailable,
                    "GStreamer cannot do that: \(gst.text(of: error)); install its plug-ins (\(GStreamerLibrary.packages))"
                )
            }
            // If elements are missing, GStreamer returns a pipeline and an error.
            if error != nil {
                let reason = gst.text(of: error)
                gst.functions.pointee.gst_object_unref(UnsafeMutableRawPointer(pointer))
                throw DeviceError(.unavailable, "GStreamer cannot do that: \(reason)")
            }
            guard let bus = gst.functions.pointee.gst_element_get_bus(pointer) else {
                gst.functions.pointee.gst_object_unref(UnsafeMutableRawPointer(pointer))
                throw DeviceError(.failed, "GStreamer made a pipeline that tells nothing")
            }
            self.pointer = pointer
            self.bus = GStreamerObject(taking: bus, gst)
        }

        deinit {
            setState(.null)
            functions.gst_object_unref(UnsafeMutableRawPointer(pointer))
        }

        /// Returns the element called `name`.
        package func element(_ name: String) throws(DeviceError) -> GStreamerObject {
            guard let element = functions.gst_bin_get_by_name(pointer, name) else {
                throw DeviceError(.failed, "the pipeline has no \(name)")
            }
            return GStreamerObject(taking: element, gst)
        }

        /// Sets a property from text, like `gst-launch-1.0`.
        package func set(_ property: String, of element: GStreamerObject, to value: String) {
            functions.gst_util_set_object_arg(element.pointer, property, value)
        }

        /// Quotes a property's value for GStreamer's parser, so that a name such as `1` remains a string.
        package static func escaped(_ value: String) -> String {
            var text = "\""
            for byte in value.unicodeScalars {
                if byte == "\"" || byte == "\\" { text.unicodeScalars.append("\\") }
                text.unicodeScalars.append(byte)
            }
            return text + "\""
        }

        /// - Returns: False if the state cannot be reached; a message tells why.
        @discardableResult
        package func setState(_ state: State) -> Bool {
            // GST_STATE_CHANGE_FAILURE is 0.
            functions.gst_element_set_state(pointer, state.rawValue) != 0
        }

        /// Waits for the next message.
        ///
        /// - Parameter timeout: In nanoseconds.
        package func nextMessage(timeout: UInt64) -> Message? {
            let (endOfStream, error, asyncDone): (UInt32, UInt32, UInt32) = (1 << 0, 1 << 1, 1 << 21)
            let types = Int32(bitPattern: endOfStream | error | asyncDone)
            guard let message = functions.gst_bus_timed_pop_filtered(bus.pointer, timeout, types) else { return nil }
            defer { functions.gst_mini_object_unref(message) }
            switch cgst_message_type(message) {
            case endOfStream: return .endOfStream
            case asyncDone: return .ready
            default:
                var reason: OpaquePointer?
                functions.gst_message_parse_error(message, &reason, nil)
                return .error(gst.text(of: reason))
            }
        }

        /// Seeks to the beginning, and flushes all queued data.
        package func rewind() -> Bool {
            let (time, flush, accurate): (UInt32, UInt32, UInt32) = (3, 1 << 0, 1 << 1)
            return functions.gst_element_seek_simple(pointer, time, flush | accurate, 0) != 0
        }

        /// Uses the machine's clock, as the engine does, with `time` in nanoseconds as the pipeline's base time.
        func useMachineClock(from time: UInt64) {
            guard let clock = functions.gst_system_clock_obtain() else { return }
            functions.gst_pipeline_use_clock(pointer, clock)
            functions.gst_object_unref(UnsafeMutableRawPointer(clock))
            functions.gst_element_set_start_time(pointer, CGST_NO_TIME)
            functions.gst_element_set_base_time(pointer, time)
        }

        /// In nanoseconds, if known.
        package var duration: UInt64? {
            var duration: Int64 = 0
            guard functions.gst_element_query_duration(pointer, 3, &duration) != 0, duration > 0 else { return nil }
            return UInt64(duration)
        }

        /// The time from a buffer's presentation time until it is presented, in nanoseconds, if known.
        var latency: UInt64? {
            guard let query = functions.gst_query_new_latency() else { return nil }
            defer { functions.gst_mini_object_unref(query) }
            guard functions.gst_element_query(pointer, query) != 0 else { return nil }
            var (isLive, least, most) = (Int32(0), UInt64(0), UInt64(0))
            functions.gst_query_parse_latency(query, &isLive, &least, &most)
            return isLive != 0 && least != CGST_NO_TIME ? least : nil
        }

        // MARK: Data

        /// Creates a buffer of `size` bytes, filled by `fill`, with its presentation time in nanoseconds.
        package func makeBuffer(
            size: Int, time: UInt64, duration: UInt64, fill: (UnsafeMutableRawBufferPointer) -> Void
        ) -> OpaquePointer? {
            guard let buffer = functions.gst_buffer_new_allocate(nil, size, nil) else { return nil }
            var map = CGSTMap()
            // GST_MAP_WRITE
            guard functions.gst_buffer_map(buffer, &map, 2) != 0 else {
                functions.gst_mini_object_unref(buffer)
                return nil
            }
            fill(UnsafeMutableRawBufferPointer(start: map.data, count: map.size))
            functions.gst_buffer_unmap(buffer, &map)
            cgst_buffer_set_time(buffer, time, duration)
            return buffer
        }

        /// Pushes a buffer, which the source takes over, without waiting.
        package func push(_ buffer: OpaquePointer, to source: GStreamerObject) {
            _ = functions.gst_app_src_push_buffer(source.pointer, buffer)
        }

        package func endStream(of source: GStreamerObject) { _ = functions.gst_app_src_end_of_stream(source.pointer) }

        /// The number of bytes that are queued in a source.
        package func waitingBytes(in source: GStreamerObject) -> UInt64 {
            functions.gst_app_src_get_current_level_bytes(source.pointer)
        }
    }

    extension CGSTMap {
        /// The mapped bytes.
        package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: data, count: size) }
    }
#endif
