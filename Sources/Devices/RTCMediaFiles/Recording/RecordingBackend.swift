import RTCDevices
import RTCFrames
import RTCWire

/// The contents of a recording's file, fixed when the recording begins.
struct RecordingFormat: Sendable, Hashable {
    struct Pictures: Sendable, Hashable {
        /// The stored width.
        var width: Int
        /// The stored height.
        var height: Int
        /// The clockwise rotation that players apply.
        var rotation: VideoRotation

        /// In bits a second: about a fifteenth of a bit for each pixel at 30 frames a second.
        var bitrate: Int { max(200_000, width * height * 2) }
    }

    /// `nil` for a file without video.
    var pictures: Pictures?
    var hasAudio: Bool

    static let sampleRate = 48_000
    static let channels = 2
    /// The longest interval between key frames, for seeking.
    static let keyFrameSeconds = 2.0
}

/// Encodes and stores recordings: GStreamer, AVFoundation, or a stand-in in tests.
protocol RecordingBackend: Sendable {
    /// Whether the file stores the rotation of its video. If not, frames are rotated before they are stored.
    var storesRotation: Bool { get }
    /// Returns the frame's buffer if the output accepts it without conversion. Others are converted to I420.
    func native(_ picture: any VideoFrameBuffer) -> (any VideoFrameBuffer)?
    func open(_ format: RecordingFormat) throws(DeviceError) -> any RecordingOutput
}

/// The output of a recording. It is called on the recorder's queue alone.
protocol RecordingOutput: AnyObject {
    /// Writes a native frame of the stored size, or one in I420, later than the one before; `time` is relative to the
    /// beginning.
    ///
    /// - Returns: False if the frame was dropped because too many wait to be encoded.
    func write(_ picture: any VideoFrameBuffer, at time: TimeDelta) -> Bool
    /// Writes interleaved 16-bit audio that continues the audio written before.
    ///
    /// - Parameter index: The number of earlier samples in each channel.
    /// - Returns: False if there is no room for it.
    func write(_ sound: UnsafeRawBufferPointer, at index: Int64) -> Bool
    /// The error that has occurred since, if any. Nothing is written after it.
    func failure() -> DeviceError?
    /// Completes the file. The last call, made once.
    ///
    /// - Parameter completion: Called on any thread.
    func finish(_ completion: @escaping @Sendable (DeviceError?) -> Void)
}
