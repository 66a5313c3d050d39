#if os(Linux)
    public import RTCDevices
    public import RTCFrames
    public import RTCWire

    /// Plays a file as camera and microphone: any video or audio that GStreamer can play, in real time.
    ///
    /// ```swift
    /// let film = try MediaFileSource(path: "film.mp4", loops: true)
    /// let video = film.video.map { VideoTrack(source: $0) }
    /// let audio = film.audio.map { AudioTrack(source: $0) }
    /// ```
    ///
    /// Frames are I420, upright and with square pixels, in the file's own size and frame rate; audio comes in buffers
    /// of 10 ms at 48 kHz, mono or stereo. Timestamps are on the engine's clock, and synchronise video and audio as in
    /// the file. The file plays while one of the two sources is started, and pauses otherwise.
    public final class MediaFileSource: Sendable {
        /// The video; `nil` if the file has none.
        public let video: (any VideoSource)?
        /// The audio; `nil` if the file has none.
        public let audio: (any AudioSource)?
        /// The frame size in pixels; `nil` without video.
        public let size: (width: Int, height: Int)?
        /// The frame rate; `nil` if it is unknown or variable.
        public let framesPerSecond: Double?
        /// The duration; `nil` if it is unknown.
        public let duration: TimeDelta?

        /// Opens a file, and decodes its first frame. Blocks for some ten milliseconds.
        ///
        /// - Parameters:
        ///   - loops: Whether the file starts again at its end, without a pause.
        ///   - onEnd: Called on a thread of the source at the end of the file, or with an error.
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
