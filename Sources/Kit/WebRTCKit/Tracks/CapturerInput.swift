/// The frames of an app's capturer, as a video source.
struct CapturerInput: Sendable {
    /// The capturer's delegate, which the capturer does not keep.
    let source = CapturedVideoSource()
    private let capturer: RetainedCapturer

    /// - Parameter capturer: Delivers its frames to this input from now on.
    init(_ capturer: RTCVideoCapturer) {
        self.capturer = RetainedCapturer(object: capturer)
        capturer.delegate = source
    }

    func isOfSameCapturer(as other: CapturerInput) -> Bool { capturer.object === other.capturer.object }

    /// Retains a capturer while it is recorded, so that an app need not.
    ///
    /// It is only compared and released, which is safe for a class that is not `Sendable`.
    private struct RetainedCapturer: @unchecked Sendable {
        let object: AnyObject
    }
}
