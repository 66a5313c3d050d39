/// What an app's capturer captures, as a source of video.
struct CapturerInput: Sendable {
    /// The capturer's delegate, which the capturer does not keep.
    let source = CapturedVideoSource()
    private let capturer: KeptCapturer

    /// - Parameter capturer: Gives its pictures to this input from now on.
    init(_ capturer: RTCVideoCapturer) {
        self.capturer = KeptCapturer(object: capturer)
        capturer.delegate = source
    }

    func isOfSameCapturer(as other: CapturerInput) -> Bool { capturer.object === other.capturer.object }

    /// Keeps a capturer for as long as it is recorded, since an app need not.
    ///
    /// It is compared and released, and nothing else is done with it: that a class is not `Sendable` forbids neither.
    private struct KeptCapturer: @unchecked Sendable {
        let object: AnyObject
    }
}
