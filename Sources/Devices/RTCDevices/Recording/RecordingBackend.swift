import RTCFrames
import RTCWire

/// What the file of a recording holds. It is settled when the recording begins.
struct RecordingFormat: Sendable, Hashable {
    struct Pictures: Sendable, Hashable {
        /// As they are stored.
        var width: Int
        /// As they are stored.
        var height: Int
        /// How players are to turn them, clockwise.
        var rotation: VideoRotation

        /// In bits a second: about a fifteenth of a bit for each pixel of 30 pictures a second.
        var bitrate: Int { max(200_000, width * height * 2) }
    }

    /// `nil` for a file without pictures.
    var pictures: Pictures?
    var hasSound: Bool

    static let sampleRate = 48_000
    static let channels = 2
    /// The longest time from one key frame to the next, so that one can go to any place.
    static let keyFrameSeconds = 2.0
}

/// Encodes and stores recordings: GStreamer, AVFoundation, or a stand-in in tests.
protocol RecordingBackend: Sendable {
    /// Whether the file says how its pictures are to be turned. If not, they are turned before they are stored.
    var storesRotation: Bool { get }
    /// The picture, if the output takes it as it is. Others are made I420 before.
    func native(_ picture: any VideoFrameBuffer) -> (any VideoFrameBuffer)?
    func open(_ format: RecordingFormat) throws(DeviceError) -> any RecordingOutput
}

/// A recording on its way into a file. It is called on the recorder's queue alone.
protocol RecordingOutput: AnyObject {
    /// Takes a native picture of the stored size, or one in I420, later than the one before; `time` is since the beginning.
    ///
    /// - Returns: False when the picture was left out, for too many wait to be encoded.
    func write(_ picture: any VideoFrameBuffer, at time: TimeDelta) -> Bool
    /// Takes sound, 16 bits a sample, the channels taking turns, that follows upon what was taken before.
    ///
    /// - Parameter index: How many samples of each channel there are before it.
    /// - Returns: False when there is no room for it.
    func write(_ sound: UnsafeRawBufferPointer, at index: Int64) -> Bool
    /// What has gone wrong since, if anything has. Nothing is written after that.
    func failure() -> DeviceError?
    /// Completes the file. It is called once, as the last of all.
    ///
    /// - Parameter completion: Called on any thread.
    func finish(_ completion: @escaping @Sendable (DeviceError?) -> Void)
}
