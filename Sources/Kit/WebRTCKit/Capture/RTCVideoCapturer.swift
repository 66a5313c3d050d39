internal import RTCFrames

/// Captures video from a custom source: a screen, a game, or a camera whose frames the app changes.
///
/// Subclass it, and pass each frame to the ``delegate``. The controller sets the delegate when recording starts:
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
/// Frames may be delivered on any thread, at any rate and in any size. A subclass is nonisolated, even where the app's
/// default isolation is the main actor.
nonisolated open class RTCVideoCapturer {
    // The controller may set the delegate while a capturer's thread reads it.
    private let lock = Lock()
    private weak var target: (any RTCVideoCapturerDelegate)?

    public init() {}

    public convenience init(delegate: any RTCVideoCapturerDelegate) {
        self.init()
        self.delegate = delegate
    }

    /// The delegate that receives the frames, which the controller sets when recording starts; `nil` before, and some time after it has
    /// stopped. Frames that no call or view needs are dropped. May be set and read on any thread.
    public final weak var delegate: (any RTCVideoCapturerDelegate)? {
        get { lock.withLock { target } }
        set { lock.withLock { target = newValue } }
    }
}

/// The delegate that receives the frames of an ``RTCVideoCapturer``.
public protocol RTCVideoCapturerDelegate: AnyObject, SendableMetatype {
    /// Takes the next frame, on any thread, and returns at once.
    func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame)
}
