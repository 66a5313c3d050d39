#if os(Linux)
    import Dispatch
    import Glibc
    public import RTCFrames
    import RTCWire
    import Synchronization

    /// Records pictures and sound into a WebM file, with VP8 and Opus: give it to the tracks that are received.
    ///
    /// ```swift
    /// let recorder = try MediaRecorder(path: "call.webm")
    /// videoTrack.add(recorder)
    /// audioTrack.add(recorder)
    /// …
    /// try await recorder.finish()
    /// ```
    ///
    /// What was to be seen and heard at the same time is so in the file. All pictures have the size of the first; later ones of
    /// another size are fitted into it, with black beside them where the proportions differ. While no picture or no sound
    /// comes, the last picture stays, and there is silence. The file can be played up to its last second, also when the program
    /// is killed; after ``finish()``, one can also go to any place of it at once.
    public final class MediaRecorder: VideoSink, AudioSink {
        private let queue = DispatchQueue(label: "duet.MediaRecorder", qos: .userInitiated)
        private let writer: RecordingWriter
        private let waitingPictures = Atomic(0)
        private let droppedPictures = Atomic(0)
        private let path: String

        /// More pictures than this do not wait to be encoded.
        private static let limit = 8

        /// Makes the file, or empties it.
        ///
        /// - Parameters:
        ///   - path: Of the file, usually ending in `.webm`.
        ///   - hasVideo: Whether the file has pictures.
        ///   - hasAudio: Whether it has sound.
        ///   - size: Of its pictures, in pixels; that of the first one if left out.
        /// - Throws: ``DeviceError`` `unwritable`, or `unavailable` without GStreamer or its plug-ins.
        public init(
            path: String, hasVideo: Bool = true, hasAudio: Bool = true, size: (width: Int, height: Int)? = nil
        ) throws(DeviceError) {
            let gst = try GStreamerLibrary.shared.get()
            try gst.require(["appsrc", "webmmux", "filesink", "vp8enc", "opusenc", "videoconvert", "audioconvert"])
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else {
                throw DeviceError(.unwritable, "cannot create \(path): \(String(cString: strerror(errno)))")
            }
            close(descriptor)
            self.path = path
            writer = RecordingWriter(
                path: path, hasVideo: hasVideo, hasAudio: hasAudio,
                size: size.map { (max(16, min($0.width, 4_096)), max(16, min($0.height, 4_096))) }, gst)
        }

        public func deliver(_ frame: VideoFrame) {
            guard waitingPictures.add(1, ordering: .relaxed).newValue <= Self.limit else {
                waitingPictures.subtract(1, ordering: .relaxed)
                droppedPictures.add(1, ordering: .relaxed)
                return
            }
            queue.async { [self] in
                waitingPictures.subtract(1, ordering: .relaxed)
                if !writer.write(frame) { droppedPictures.add(1, ordering: .relaxed) }
            }
        }

        public func deliver(_ frame: AudioFrame) {
            queue.async { [self] in writer.write(frame) }
        }

        /// How many pictures were left out, because they came faster than they could be encoded.
        public var dropped: Int { droppedPictures.load(ordering: .relaxed) }

        /// Completes the file. What is delivered after that is not recorded.
        ///
        /// - Throws: ``DeviceError`` with what stopped it from recording, if anything did.
        public func finish() async throws(DeviceError) {
            let failure: DeviceError? = await withCheckedContinuation { continuation in
                queue.async { [self] in
                    guard let pipeline = writer.end() else {
                        continuation.resume(returning: writer.failure)
                        return
                    }
                    // It may take a while until all is encoded.
                    let end = { @Sendable [self] in
                        let failure = RecordingWriter.waitForEnd(pipeline, path)
                        queue.async { [self] in continuation.resume(returning: writer.failure ?? failure) }
                    }
                    if !MediaThread.start("duet-record-end", end) { end() }
                }
            }
            if let failure { throw failure }
        }
    }
#endif
