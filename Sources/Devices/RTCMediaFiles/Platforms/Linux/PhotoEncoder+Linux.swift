#if os(Linux)
    import CGStreamer
    public import RTCDevices
    public import RTCFrames

    /// Encodes frames as JPEG files.
    ///
    /// ```swift
    /// let photo = try PhotoEncoder().jpeg(frame)
    /// ```
    public struct PhotoEncoder: Sendable {
        private let gst: GStreamerLibrary
        private let quality: Int

        /// Creates an encoder.
        ///
        /// - Parameter quality: The JPEG quality, 1 to 100.
        /// - Throws: ``DeviceError`` `unavailable` without GStreamer, or its JPEG encoder.
        public init(quality: Int = 90) throws(DeviceError) {
            gst = try GStreamerLibrary.shared.get()
            try gst.require(["appsrc", "jpegenc", "appsink"])
            self.quality = min(max(quality, 1), 100)
        }

        /// Returns a frame as a JPEG file. The pixels are not rotated; the rotation is stored as Exif orientation.
        ///
        /// Blocks for some milliseconds.
        /// - Parameter isMirrored: Whether the image is shown mirrored.
        /// - Throws: ``DeviceError`` `unsupported` for pixels that cannot be converted, or `failed`.
        public func jpeg(_ frame: VideoFrame, isMirrored: Bool = false) throws(DeviceError) -> [UInt8] {
            let pool = I420BufferPool(capacity: 1)
            guard let picture = frame.buffer.i420(from: pool) else {
                throw DeviceError(.unsupported, "the camera's pixels cannot be made into a photo")
            }
            let layout = I420Layout(width: picture.width, height: picture.height)
            let pipeline = try Pipeline(
                "appsrc name=source format=time "
                    + "caps=video/x-raw,format=I420,width=\(picture.width),height=\(picture.height),framerate=0/1 "
                    + "! jpegenc quality=\(quality) ! appsink name=sink sync=false", gst)
            let (source, sink) = (try pipeline.element("source"), try pipeline.element("sink"))
            pipeline.setState(.playing)
            let buffer = pipeline.makeBuffer(size: layout.size, time: 0, duration: 0) { bytes in
                picture.withPlanes { layout.mutablePlanes(in: bytes)?.copy($0) }
            }
            guard let buffer else { throw DeviceError(.failed, "there is no room for a photo") }
            pipeline.push(buffer, to: source)
            pipeline.endStream(of: source)
            guard let sample = gst.functions.pointee.gst_app_sink_try_pull_sample(sink.pointer, 5_000_000_000) else {
                var reason = "nothing came out of the encoder"
                if case .error(let text)? = pipeline.nextMessage(timeout: 0) { reason = text }
                throw DeviceError(.failed, "the photo cannot be encoded: \(reason)")
            }
            defer { gst.functions.pointee.gst_mini_object_unref(sample) }
            guard let bytes = bytes(of: sample),
                let photo = ExifSegment.insert(ExifOrientation(frame.rotation, isMirrored: isMirrored), into: bytes)
            else { throw DeviceError(.failed, "the encoder made no JPEG file") }
            return photo
        }

        private func bytes(of sample: OpaquePointer) -> [UInt8]? {
            let functions = gst.functions.pointee
            var map = CGSTMap()
            guard let buffer = functions.gst_sample_get_buffer(sample), functions.gst_buffer_map(buffer, &map, 1) != 0
            else { return nil }
            defer { functions.gst_buffer_unmap(buffer, &map) }
            return Array(map.bytes)
        }
    }
#endif
