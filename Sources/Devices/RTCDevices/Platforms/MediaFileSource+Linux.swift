#if os(Linux)
    public import RTCFrames
    public import RTCWire

    /// A file as camera and microphone: any film or sound that GStreamer can play, at the pace of its own clock.
    ///
    /// ```swift
    /// let film = try MediaFileSource(path: "film.mp4", loops: true)
    /// let video = film.video.map { VideoTrack(source: $0) }
    /// let audio = film.audio.map { AudioTrack(source: $0) }
    /// ```
    ///
    /// Pictures come in I420, upright and with square pixels, in the file's own size and rate; sound in pieces of 10 ms at
    /// 48 kHz, in one channel or two. Both have the timestamps of the engine's clock, and belong together as they do in the file.
    /// The file plays while one of the two is started, and stands still while none is.
    public final class MediaFileSource: Sendable {
        /// The pictures; `nil` for a file without any.
        public let video: (any VideoSource)?
        /// The sound; `nil` for a file without any.
        public let audio: (any AudioSource)?
        /// Of the pictures, in pixels.
        public let size: (width: Int, height: Int)?
        /// Of the pictures; `nil` when the file does not say, or it changes.
        public let framesPerSecond: Double?
        /// How long the file plays; `nil` when it does not say.
        public let duration: TimeDelta?

        /// Opens a file, and decodes it as far as its first picture: a matter of some ten milliseconds, during which it blocks.
        ///
        /// - Parameters:
        ///   - loops: Whether it begins again at the end, without a pause.
        ///   - onEnd: Called on a thread of the source's when there is no more: with what went wrong, or `nil` at the end of
        ///     the file.
        /// - Throws: ``DeviceError`` `unreadable`, `notMedia`, or `unavailable` without GStreamer.
        public init(
            path: String, loops: Bool = false, onEnd: (@Sendable (DeviceError?) -> Void)? = nil
        ) throws(DeviceError) {
            let gst = try GStreamerLibrary.shared.get()
            let first = try FileDecoder(path: path, gst)
            size = first.videoFormat.map { ($0.width, $0.height) }
            framesPerSecond = first.videoFormat?.framesPerSecond
            duration = first.duration
            let (hasVideo, hasAudio) = (first.videoFormat != nil, first.hasAudio)
            let second = loops ? try FileDecoder(path: path, gst) : nil
            let player = FilePlayer(FilePlayback([first] + (second.map { [$0] } ?? [])), onEnd: onEnd)
            video = hasVideo ? Pictures(player) : nil
            audio = hasAudio ? Sound(player) : nil
        }

        private final class Pictures: VideoSource {
            private let player: FilePlayer

            init(_ player: FilePlayer) { self.player = player }
            deinit { stop() }

            func start(delivering sink: any VideoSink) { player.change { $0.video = sink } }
            func stop() { player.change { $0.video = nil } }
        }

        private final class Sound: AudioSource {
            private let player: FilePlayer

            init(_ player: FilePlayer) { self.player = player }
            deinit { stop() }

            func start(delivering sink: any AudioSink) { player.change { $0.audio = sink } }
            func stop() { player.change { $0.audio = nil } }
        }
    }
#endif
