#if os(Linux)
    import CGStreamer
    import RTCFrames
    import RTCWire
    import Synchronization

    /// A camera by GStreamer. Each frame is converted to I420 once and not copied again: a sink gets GStreamer's own
    /// memory, which stays valid until the last reference is released.
    final class GStreamerCamera: CameraCapture {
        let device: MediaDevice
        let format: CaptureFormat
        private let loop: CaptureLoop
        private let pictures: CameraSampleConverter

        /// Blocks while the device is opened.
        init(_ device: MediaDevice, format: CaptureFormat?, events: CaptureEvents) throws(DeviceError) {
            guard device.media == .camera else { throw DeviceError(.notFound, "\(device.name) is no camera") }
            let gst = try GStreamerLibrary.shared.get()
            let element = try DeviceElement(device)
            try gst.require([element.name, "videoconvert", "appsink"])
            let chosen = format ?? Self.usual(device)
            let pipeline = try Pipeline(
                "\(element.description) name=camera ! \(try Self.decoding(chosen, gst))videoconvert name=convert "
                    + "! video/x-raw,format=I420 "
                    + "! appsink name=sink sync=false enable-last-sample=false max-buffers=2 drop=true", gst)
            pipeline.set(
                element.property, of: try pipeline.element("camera"), to: Pipeline.escaped(element.value))
            let isCoded = chosen?.format.pixelFormat == .mjpeg || chosen?.format.pixelFormat == .h264
            let pictures = CameraSampleConverter(gst, converter: try pipeline.element("convert"), isCoded: isCoded)
            self.device = device
            self.format =
                chosen
                ?? CaptureFormat(
                    format: CameraFormat(width: 0, height: 0, frameRates: [], pixelFormat: .i420), frameRate: 0)
            self.pictures = pictures
            loop = try CaptureLoop(device, pipeline, element.connection, events: events) { pictures.take($0) }
        }

        func start(delivering sink: any VideoSink) {
            pictures.deliver(to: sink)
            loop.start()
        }

        func stop() {
            loop.stop()
            pictures.deliver(to: nil)
        }

        func set(_ setting: CameraSetting) throws(DeviceError) {
            guard let node = DeviceHub.shared.device(device.handle)?.hardware, let controls = V4L2Controls(node: node)
            else { throw V4L2Controls.unsupported(device, "such control") }
            try controls.set(setting, of: device)
        }

        func close() async {
            pictures.deliver(to: nil)
            await loop.close()
        }

        /// The format for a camera without a requested one: the largest uncompressed format of at most 720 rows.
        private static func usual(_ device: MediaDevice) -> CaptureFormat? {
            let raw = device.formats.filter { $0.pixelFormat != .mjpeg && $0.pixelFormat != .h264 }
            let format =
                raw.first { $0.height <= 720 } ?? raw.last ?? device.formats.first { $0.height <= 720 }
                ?? device.formats.last
            return format.map { format in
                let rates = format.frameRates
                return CaptureFormat(
                    format: format, frameRate: rates.contains { $0.contains(30) } ? 30 : rates.last?.upperBound ?? 0)
            }
        }

        /// The pipeline elements between the source and the converter.
        private static func decoding(_ chosen: CaptureFormat?, _ gst: GStreamerLibrary) throws(DeviceError) -> String {
            guard let chosen else { return "" }
            let format = chosen.format
            guard I420Buffer.isValid(width: format.width, height: format.height) else {
                throw DeviceError(.unsupported, "a picture cannot be \(format.width) by \(format.height)")
            }
            var size = ",width=\(format.width),height=\(format.height)"
            if chosen.frameRate > 0, !format.frameRates.isEmpty {
                let (up, down) = fraction(chosen.frameRate)
                size += ",framerate=\(up)/\(down)"
            }
            switch format.pixelFormat {
            case .mjpeg:
                try gst.require(["jpegdec"])
                return "image/jpeg\(size) ! jpegdec ! "
            case .h264:
                guard let decoder = ["avdec_h264", "openh264dec", "vah264dec"].first(where: { gst.has($0) }) else {
                    throw DeviceError(
                        .unavailable,
                        "GStreamer has no decoder for H.264; install its plug-ins (\(GStreamerLibrary.packages))")
                }
                try gst.require(["h264parse"])
                return "video/x-h264\(size) ! h264parse ! \(decoder) ! "
            default:
                let name = format.pixelFormat.rawValue
                // The name is inserted into the pipeline's description.
                guard !name.isEmpty, name.utf8.count < 32, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
                else { throw DeviceError(.unsupported, "GStreamer knows no pixels called \(name)") }
                return "video/x-raw,format=\(name)\(size) ! "
            }
        }

        /// The fraction for a frame rate: 29.97 becomes 30,000 / 1,001.
        static func fraction(_ rate: Double) -> (Int, Int) {
            guard rate.isFinite, rate > 0, rate <= 1_000 else { return (30, 1) }
            if abs(rate - rate.rounded()) < 0.001 { return (Int(rate.rounded()), 1) }
            let television = rate * 1_001 / 1_000
            if abs(television - television.rounded()) < 0.005 { return (Int(television.rounded()) * 1_000, 1_001) }
            return (Int((rate * 1_000).rounded()), 1_000)
        }
    }

    /// Converts GStreamer's samples to frames.
    private final class CameraSampleConverter: @unchecked Sendable {
        private let gst: GStreamerLibrary
        private let converter: GStreamerObject
        private let isCoded: Bool
        private let sink = Mutex<(any VideoSink)?>(nil)
        /// For frames that are already I420: the camera needs their memory back. Used by the loop's thread.
        private let pool = I420BufferPool()
        private var size: (width: Int, height: Int)?
        private var isCamerasOwn = false

        /// - Parameter isCoded: Whether a decoder precedes the converter: frames are then in the decoder's memory.
        init(_ gst: GStreamerLibrary, converter: GStreamerObject, isCoded: Bool) {
            self.gst = gst
            self.converter = converter
            self.isCoded = isCoded
        }

        func deliver(to sink: (any VideoSink)?) { self.sink.withLock { $0 = sink } }

        func take(_ sample: OpaquePointer) {
            let now = Instant.now
            guard let buffer = gst.functions.pointee.gst_sample_get_buffer(sample),
                let picture = picture(sample, buffer)
            else { return }
            var time = Instant(nanoseconds: Int64(clamping: cgst_buffer_time(buffer)))
            // Some cameras deliver no usable timestamps.
            if cgst_buffer_time(buffer) == CGST_NO_TIME || time > now || now - time > .milliseconds(500) { time = now }
            let frame = VideoFrame(buffer: picture, timestamp: time)
            sink.withLock { $0 }?.deliver(frame)
        }

        private func picture(_ sample: OpaquePointer, _ buffer: OpaquePointer) -> I420Buffer? {
            guard let memory = MappedSample(sample, buffer, gst) else { return nil }
            guard let size = size(of: sample) else { return nil }
            let layout = layout(of: buffer, size.width, size.height)
            guard let planes = layout.planes(in: memory.bytes) else { return nil }
            guard !isCamerasOwn, layout.isPacked else {
                return pool.makeBuffer(width: size.width, height: size.height) { $0.copy(planes) }
            }
            return I420Buffer(
                width: size.width, height: size.height, strideY: planes.y.stride, strideUV: planes.u.stride,
                memory: UnsafeMutableRawPointer(mutating: planes.y.base), owner: memory)
        }

        private func layout(of buffer: OpaquePointer, _ width: Int, _ height: Int) -> I420Layout {
            var said = CGSTVideoLayout()
            guard cgst_buffer_video_layout(gst.functions, buffer, &said) != 0, said.planes == 3 else {
                return I420Layout(width: width, height: height)
            }
            func rows(_ offset: Int, _ stride: Int32) -> I420Layout.Rows {
                I420Layout.Rows(offset: offset, stride: Int(stride))
            }
            let (offsets, strides) = (said.offset, said.stride)
            return I420Layout(
                width: width, height: height, y: rows(offsets.0, strides.0), u: rows(offsets.1, strides.1),
                v: rows(offsets.2, strides.2)) ?? I420Layout(width: width, height: height)
        }

        private func size(of sample: OpaquePointer) -> (width: Int, height: Int)? {
            let functions = gst.functions.pointee
            var (width, height): (Int32, Int32) = (0, 0)
            guard let caps = functions.gst_sample_get_caps(sample),
                let structure = functions.gst_caps_get_structure(caps, 0),
                functions.gst_structure_get_int(structure, "width", &width) != 0,
                functions.gst_structure_get_int(structure, "height", &height) != 0,
                I420Buffer.isValid(width: Int(width), height: Int(height))
            else { return nil }
            if size?.width != Int(width) || size?.height != Int(height) {
                size = (Int(width), Int(height))
                isCamerasOwn = !isCoded && inputIsI420
            }
            return size
        }

        /// Whether the converter passes its input through.
        private var inputIsI420: Bool {
            let functions = gst.functions.pointee
            guard let pad = functions.gst_element_get_static_pad(converter.pointer, "sink") else { return true }
            defer { functions.gst_object_unref(UnsafeMutableRawPointer(pad)) }
            guard let caps = functions.gst_pad_get_current_caps(pad) else { return true }
            defer { functions.gst_mini_object_unref(caps) }
            guard let structure = functions.gst_caps_get_structure(caps, 0),
                let format = functions.gst_structure_get_string(structure, "format")
            else { return true }
            return String(cString: format) == "I420"
        }
    }

    /// A sample whose memory stays mapped for the lifetime of this object.
    private final class MappedSample: @unchecked Sendable {
        let bytes: UnsafeRawBufferPointer
        private let sample: OpaquePointer
        private let buffer: OpaquePointer
        private var map = CGSTMap()
        private let functions: UnsafePointer<CGSTLibrary>

        init?(_ sample: OpaquePointer, _ buffer: OpaquePointer, _ gst: GStreamerLibrary) {
            functions = gst.functions
            // GST_MAP_READ
            guard functions.pointee.gst_buffer_map(buffer, &map, 1) != 0 else { return nil }
            _ = functions.pointee.gst_mini_object_ref(sample)
            self.sample = sample
            self.buffer = buffer
            bytes = map.bytes
        }

        deinit {
            functions.pointee.gst_buffer_unmap(buffer, &map)
            functions.pointee.gst_mini_object_unref(sample)
        }
    }
#endif
