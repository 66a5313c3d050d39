import Dispatch
public import RTCDevices
public import RTCFrames
import Synchronization

/// Records video and audio into a file. Add it as a sink to remote tracks, or to those of a camera and a microphone.
///
/// ```swift
/// let recorder = try MediaRecorder(path: "call.webm")  // on Apple's platforms: "call.mov"
/// videoTrack.add(recorder)
/// audioTrack.add(recorder)
/// …
/// try await recorder.finish()
/// ```
///
/// | | file | video and audio |
/// | --- | --- | --- |
/// | Linux | WebM | VP8 and Opus |
/// | Apple's platforms | QuickTime (`.mov`) or MPEG-4 (`.mp4`, `.m4v`; `.m4a` without video) | H.264 and AAC |
///
/// Add it to one video track and one audio track: it does not mix, so of two voices one would replace the other.
///
/// Video and audio are synchronised. All frames have the size of the first one; later frames of another size or
/// rotation are fitted into it, with black bars if the aspect ratio differs. Without new frames the last one stays;
/// missing audio is silence. WebM and QuickTime files can be played up to the last second even if the program was
/// killed; ``finish()`` makes them seekable. On iOS, the system ends a recording when the app enters the background.
public final class MediaRecorder: VideoSink, AudioSink {
    private let queue: DispatchQueue
    private let writer: RecordingWriter
    private let waitingFrames = Atomic(0)
    private let droppedFrames = Atomic(0)
    private let held = Mutex<[CameraHold]>([])

    /// The most frames that wait to be encoded.
    private static let limit = 8

    /// Creates the file, or replaces it.
    ///
    /// - Parameters:
    ///   - path: The path of the file, usually with the extension `.webm` on Linux; on Apple's platforms the extension
    ///     selects the format.
    ///   - hasVideo: Whether the file has video.
    ///   - hasAudio: Whether the file has audio.
    ///   - size: The frame size after rotation in pixels, even numbers; by default that of the first frame.
    /// - Throws: ``DeviceError`` `unwritable`, or on Linux `unavailable` without GStreamer or its plug-ins.
    public init(
        path: String, hasVideo: Bool = true, hasAudio: Bool = true, size: (width: Int, height: Int)? = nil
    ) throws(DeviceError) {
        let queue = DispatchQueue(label: "duet.MediaRecorder", qos: .userInitiated)
        let backend = try Self.makeBackend(path: path, hasVideo: hasVideo, on: queue)
        try RecordingFile.empty(path)
        self.queue = queue
        writer = RecordingWriter(path: path, hasVideo: hasVideo, hasAudio: hasAudio, size: size, backend)
    }

    /// Keeps the selected camera until the recording ends, so that a recording has one camera. A camera that is
    /// unplugged is replaced nevertheless.
    ///
    /// A local track of WebRTCKit calls it when the recorder is added to the track.
    public func hold(_ cameras: CameraSelector) {
        held.withLock { held in
            if !held.contains(where: { $0.cameras === cameras }) { held.append(CameraHold(cameras)) }
        }
    }

    /// Ends the effect of ``hold(_:)``. Other recordings are not affected.
    public func letGo(of cameras: CameraSelector) { held.withLock { $0.removeAll { $0.cameras === cameras } } }

    public func deliver(_ frame: VideoFrame) {
        guard waitingFrames.add(1, ordering: .relaxed).newValue <= Self.limit else {
            waitingFrames.subtract(1, ordering: .relaxed)
            droppedFrames.add(1, ordering: .relaxed)
            return
        }
        queue.async { [self] in
            waitingFrames.subtract(1, ordering: .relaxed)
            if !writer.write(frame) { droppedFrames.add(1, ordering: .relaxed) }
        }
    }

    public func deliver(_ frame: AudioFrame) {
        queue.async { [self] in writer.write(frame) }
    }

    /// The number of frames that were dropped because they arrived faster than they could be encoded.
    public var dropped: Int { droppedFrames.load(ordering: .relaxed) }

    /// Completes the file. Media that are delivered later are not recorded.
    ///
    /// - Throws: The ``DeviceError`` that stopped the recording, if there was one.
    public func finish() async throws(DeviceError) {
        let failure: DeviceError? = await withCheckedContinuation { continuation in
            queue.async { [self] in writer.end { continuation.resume(returning: $0) } }
        }
        held.withLock { $0 = [] }
        if let failure { throw failure }
    }
}

/// Marks a camera as recording, for the lifetime of this object.
private final class CameraHold: Sendable {
    let cameras: CameraSelector

    init(_ cameras: CameraSelector) {
        self.cameras = cameras
        cameras.beginRecording()
    }

    deinit { cameras.endRecording() }
}
