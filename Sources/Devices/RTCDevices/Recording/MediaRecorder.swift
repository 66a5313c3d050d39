import Dispatch
public import RTCFrames
import Synchronization

/// Records pictures and sound into a file: give it to the tracks that are received, or to a camera and a microphone.
///
/// ```swift
/// let recorder = try MediaRecorder(path: "call.webm")  // on Apple's platforms: "call.mov"
/// videoTrack.add(recorder)
/// audioTrack.add(recorder)
/// …
/// try await recorder.finish()
/// ```
///
/// | | file | pictures and sound |
/// | --- | --- | --- |
/// | Linux | WebM | VP8 and Opus |
/// | Apple's platforms | QuickTime (`.mov`) or MPEG-4 (`.mp4`, `.m4v`; `.m4a` without pictures) | H.264 and AAC |
///
/// What was to be seen and heard at the same time is so in the file. All pictures have the size of the first; later ones of
/// another size, or turned otherwise, are fitted into it, with black beside them where the proportions differ. While no picture
/// or no sound comes, the last picture stays, and there is silence. A file in WebM or QuickTime can be played up to its last
/// second, also when the program is killed; after ``finish()``, one can also go to any place of it at once. On iOS, the system
/// ends a recording when the app goes into the background.
public final class MediaRecorder: VideoSink, AudioSink {
    private let queue: DispatchQueue
    private let writer: RecordingWriter
    private let waitingPictures = Atomic(0)
    private let droppedPictures = Atomic(0)
    private let held = Mutex<[CameraHold]>([])

    /// More pictures than this do not wait to be encoded.
    private static let limit = 8

    /// Makes the file, or empties it.
    ///
    /// - Parameters:
    ///   - path: Of the file, usually ending in `.webm` on Linux; on Apple's platforms in what says the kind of file.
    ///   - hasVideo: Whether the file has pictures.
    ///   - hasAudio: Whether it has sound.
    ///   - size: Of its pictures as they are seen, in pixels, even numbers; that of the first one if left out.
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

    /// Keeps the camera as it is until the recording is over, whatever is plugged in or chosen meanwhile: a film has one camera. One
    /// that is unplugged is replaced all the same.
    ///
    /// A local track of WebRTCKit's does so itself when the recorder is added to it.
    public func hold(_ cameras: CameraSelector) {
        held.withLock { held in
            if !held.contains(where: { $0.cameras === cameras }) { held.append(CameraHold(cameras)) }
        }
    }

    /// The recording of the camera is over, though not that of others.
    public func letGo(of cameras: CameraSelector) { held.withLock { $0.removeAll { $0.cameras === cameras } } }

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
            queue.async { [self] in writer.end { continuation.resume(returning: $0) } }
        }
        held.withLock { $0 = [] }
        if let failure { throw failure }
    }
}

/// A recording of a camera, for as long as it is there.
private final class CameraHold: Sendable {
    let cameras: CameraSelector

    init(_ cameras: CameraSelector) {
        self.cameras = cameras
        cameras.beginRecording()
    }

    deinit { cameras.endRecording() }
}
