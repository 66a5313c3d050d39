import RTCDevices
import RTCFrames
import RTCWire

/// Places video and audio at their times in a recording, and fills gaps. Used on the recorder's queue alone.
final class RecordingWriter: @unchecked Sendable {
    private(set) var failure: DeviceError?
    private let backend: any RecordingBackend
    private let path: String
    private let hasVideo: Bool
    private let hasAudio: Bool
    /// The size of the frames as displayed.
    private var size: (width: Int, height: Int)?
    /// The rotation that players apply to the stored frames.
    private var rotation = VideoRotation.none
    private var output: (any RecordingOutput)?
    private var hasEnded = false
    /// The time at which the file begins.
    private var start: Instant?
    private let pool = I420BufferPool(capacity: 4)
    /// The last frame, as it was stored.
    private var last: (any VideoFrameBuffer)?
    /// The time of the last frame, relative to the beginning.
    private var videoTime: TimeDelta?
    private var framer = AudioFramer(
        sampleRate: RecordingFormat.sampleRate, channels: RecordingFormat.channels, samplesPerFrame: 480)
    /// The number of samples written for each channel.
    private var audioCount: Int64 = 0
    /// Audio that came before the first frame, which determines the size of the video.
    private var early: [AudioFrame] = []

    private static let sampleRate = Int64(RecordingFormat.sampleRate)
    /// How long audio waits for a first frame.
    private static let patience = TimeDelta.seconds(2)
    private static let defaultSize = (width: 640, height: 360)
    /// In samples: audio that is early or late by more than this does not follow directly on the audio before it.
    private static let tolerance: Int64 = 960
    /// A muxer waits for video before it writes audio, and vice versa: neither may lag behind by more than this.
    private static let lag = TimeDelta.milliseconds(500)
    /// The part of the lag that is not filled, for data that is still on its way.
    private static let margin = TimeDelta.milliseconds(300)

    /// - Parameter size: The size of the frames as displayed; `nil` for that of the first frame.
    init(
        path: String, hasVideo: Bool, hasAudio: Bool, size: (width: Int, height: Int)?, _ backend: any RecordingBackend
    ) {
        self.path = path
        self.hasVideo = hasVideo
        self.hasAudio = hasAudio
        self.size = size.map { Self.possible(min($0.width, 4_096), min($0.height, 4_096)) }
        self.backend = backend
    }

    /// Encoders and chroma subsampling need even sizes.
    private static func possible(_ width: Int, _ height: Int) -> (width: Int, height: Int) {
        (max(16, width & ~1), max(16, height & ~1))
    }

    /// - Returns: False if the frame was dropped because too many wait in the encoder.
    func write(_ frame: VideoFrame) -> Bool {
        guard hasVideo, !hasEnded, failure == nil,
            let picture = backend.native(frame.buffer) ?? frame.buffer.i420(from: pool)
        else { return true }
        if output == nil, backend.storesRotation { rotation = frame.rotation }
        if size == nil {
            let isSideways = frame.rotation.isSideways
            size = Self.possible(
                isSideways ? picture.height : picture.width, isSideways ? picture.width : picture.height)
        }
        guard begin(at: frame.timestamp), let start else { return true }
        let time = frame.timestamp - start
        guard time >= .zero, videoTime.map({ time > $0 }) ?? true else { return true }
        guard let fitted = fit(picture, turnedBy: frame.rotation - rotation) else { return true }
        last = fitted
        let isTaken = push(fitted, at: time)
        if hasAudio, time - audioTime > Self.lag { appendSilence(until: time - Self.margin) }
        check()
        return isTaken
    }

    func write(_ frame: AudioFrame) {
        guard hasAudio, !hasEnded, failure == nil else { return }
        if output == nil, hasVideo, size == nil {
            guard let first = early.first, frame.timestamp - first.timestamp > Self.patience else {
                return early.append(frame)
            }
            size = Self.defaultSize
        }
        guard begin(at: frame.timestamp) else { return }
        writeAudio(frame)
        if hasVideo, audioTime - (videoTime ?? .zero) > Self.lag { repeatFrame(at: audioTime - Self.margin) }
        check()
    }

    /// Ends both streams, and completes the file.
    ///
    /// - Parameter completion: Called on any thread, with the error that stopped the recording, if any.
    func end(_ completion: @escaping @Sendable (DeviceError?) -> Void) {
        guard !hasEnded else { return completion(failure) }
        hasEnded = true
        if failure == nil, output == nil, let first = early.first {
            size = size ?? Self.defaultSize
            _ = begin(at: first.timestamp)
        }
        guard failure == nil, let output else {
            failure = failure ?? DeviceError(.failed, "\(path): nothing came that could be recorded")
            return completion(failure)
        }
        if hasAudio, let videoTime, videoTime > audioTime { appendSilence(until: videoTime) }
        if hasVideo, audioTime > videoTime ?? .zero || videoTime == nil { repeatFrame(at: audioTime) }
        self.output = nil
        output.finish(completion)
    }

    // MARK: The output

    /// Opens the output, and writes the audio that came before.
    private func begin(at time: Instant) -> Bool {
        if output != nil { return true }
        let start = early.first.map { min($0.timestamp, time) } ?? time
        do throws(DeviceError) {
            output = try backend.open(format)
        } catch {
            failure = error
            return false
        }
        self.start = start
        let early = early
        self.early = []
        for frame in early { writeAudio(frame) }
        return true
    }

    private var stored: (width: Int, height: Int) {
        let (width, height) = size ?? Self.defaultSize
        return rotation.isSideways ? (height, width) : (width, height)
    }

    private var format: RecordingFormat {
        let (width, height) = stored
        let pictures = RecordingFormat.Pictures(width: width, height: height, rotation: rotation)
        return RecordingFormat(pictures: hasVideo ? pictures : nil, hasAudio: hasAudio)
    }

    /// Checks the output for an error.
    private func check() {
        guard let failure = output?.failure() else { return }
        self.failure = failure
        output = nil
    }

    // MARK: Video

    private func push(_ picture: any VideoFrameBuffer, at time: TimeDelta) -> Bool {
        guard let output else { return true }
        guard output.write(picture, at: time) else { return false }
        videoTime = time
        return true
    }

    private func repeatFrame(at time: TimeDelta) {
        guard size != nil, videoTime.map({ time > $0 }) ?? true else { return }
        let picture = last ?? I420Buffer(width: stored.width, height: stored.height)
        last = picture
        _ = push(picture, at: time)
    }

    /// Returns the frame as it is stored: rotated, and in the recording's size.
    ///
    /// - Returns: `nil` if the pixels cannot be converted.
    private func fit(_ picture: any VideoFrameBuffer, turnedBy turn: VideoRotation) -> (any VideoFrameBuffer)? {
        if turn == .none, (picture.width, picture.height) == stored { return picture }
        return picture.i420(from: pool).map { fit($0.rotated(turn, pool: pool)) }
    }

    /// Returns the frame in the recording's size, with black bars if its aspect ratio differs.
    private func fit(_ picture: I420Buffer) -> I420Buffer {
        let size = stored
        guard (picture.width, picture.height) != size else { return picture }
        let wide = picture.width * size.height > picture.height * size.width
        let width = wide ? size.width : max(2, size.height * picture.width / picture.height & ~1)
        let height = wide ? max(2, size.width * picture.height / picture.width & ~1) : size.height
        let scaled = picture.scaled(width: width, height: height, pool: pool)
        if (width, height) == size { return scaled }
        let left = (size.width - width) / 2 & ~1
        let top = (size.height - height) / 2 & ~1
        return scaled.withPlanes { source in
            I420Buffer(width: size.width, height: size.height) { target in
                Self.copy(source.y, to: target.y, x: left, y: top)
                Self.copy(source.u, to: target.u, x: left / 2, y: top / 2)
                Self.copy(source.v, to: target.v, x: left / 2, y: top / 2)
            }
        }
    }

    private static func copy(_ source: Plane, to target: MutablePlane, x: Int, y: Int) {
        let width = min(source.width, target.width - x)
        for row in 0..<min(source.height, target.height - y) {
            (target.row(y + row) + x).update(from: source.row(row), count: width)
        }
    }

    // MARK: Audio

    /// The end of the written audio.
    private var audioTime: TimeDelta {
        .nanoseconds(audioCount * 1_000_000_000 / Self.sampleRate)
    }

    private func writeAudio(_ frame: AudioFrame) {
        guard let start else { return }
        framer.append(frame)
        while true {
            let isThere: Bool? = framer.next { samples, time in
                place(samples, at: (time - start).nanoseconds / 1_000 * Self.sampleRate / 1_000_000)
                return true
            }
            if isThere == nil { return }
        }
    }

    /// Writes audio at its time: after silence if there was a gap, and without the part that is already past.
    private func place(_ samples: UnsafeBufferPointer<Int16>, at index: Int64) {
        let gap = index - audioCount
        if gap > Self.tolerance { appendSilence(count: gap) }
        let skipped = gap < -Self.tolerance ? min(Int(-gap), samples.count / 2) : 0
        append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: samples.dropFirst(2 * skipped))))
    }

    private func appendSilence(until time: TimeDelta) {
        appendSilence(count: time.nanoseconds / 1_000 * Self.sampleRate / 1_000_000 - audioCount)
    }

    private func appendSilence(count: Int64) {
        var left = count
        while left > 0 {
            let piece = min(left, Self.sampleRate)
            [Int16](repeating: 0, count: Int(piece) * 2).withUnsafeBytes { append($0) }
            left -= piece
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        guard let output, !bytes.isEmpty, output.write(bytes, at: audioCount) else { return }
        audioCount += Int64(bytes.count / (2 * RecordingFormat.channels))
    }
}

extension VideoRotation {
    /// Whether the rotation swaps width and height.
    fileprivate var isSideways: Bool { self == .clockwise90 || self == .clockwise270 }
}
