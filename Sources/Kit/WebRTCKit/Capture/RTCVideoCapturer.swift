internal import RTCFrames

/// Makes pictures of its own for a call: of a screen, of a game, of a camera whose pictures an app wants to change.
///
/// Make a subclass, and give each picture to the ``delegate``. A controller becomes that when it is told to record:
///
/// ```swift
/// final class ScreenCapturer: RTCVideoCapturer {
///     func capture(_ buffer: RTCI420Buffer, at nanoseconds: Int64) {
///         delegate?.capturer(
///             self, didCapture: RTCVideoFrame(buffer: buffer, rotation: ._0, timeStampNs: nanoseconds))
///     }
/// }
///
/// try await webRTCController.startVideoRecording(videoCapturer: capturer)
/// ```
///
/// Pictures may come on any thread, at any pace and in any size. A subclass is nonisolated, also where an app's default isolation is the
/// main actor.
nonisolated open class RTCVideoCapturer {
    // The controller sets the delegate while a thread of the capturer's reads it.
    private let lock = Lock()
    private weak var target: (any RTCVideoCapturerDelegate)?

    public init() {}

    public convenience init(delegate: any RTCVideoCapturerDelegate) {
        self.init()
        self.delegate = delegate
    }

    /// Whom pictures go to; `nil` while nobody wants any. May be set and read on any thread.
    public final weak var delegate: (any RTCVideoCapturerDelegate)? {
        get { lock.withLock { target } }
        set { lock.withLock { target = newValue } }
    }
}

/// Whom the pictures of an ``RTCVideoCapturer`` go to.
public protocol RTCVideoCapturerDelegate: AnyObject, SendableMetatype {
    /// Takes the next picture, on any thread, and returns at once.
    func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame)
}
