#if os(iOS) || os(macOS)
    import CoreMedia
    import CoreVideo
    import ReplayKit
    import WebRTCKit

    /// Sends the app's own screen in a call, by ReplayKit.
    ///
    /// ```swift
    /// let screen = ScreenCapturer()
    /// try await screen.start()  // the system asks the person
    /// try await controller.startVideoRecording(videoCapturer: screen)
    /// ```
    ///
    /// To send the screens of other apps too, an app needs a broadcast extension, which is a program of its own.
    // It has no state but the delegate, which may be read on any thread.
    nonisolated final class ScreenCapturer: RTCVideoCapturer, @unchecked Sendable {
        /// Throws if the person does not allow it, or something else records the screen.
        func start() async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                RPScreenRecorder.shared().startCapture(
                    handler: { @Sendable [weak self] sample, kind, error in
                        guard error == nil, kind == .video else { return }
                        self?.capture(sample)
                    },
                    completionHandler: { @Sendable error in
                        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                    })
            }
        }

        /// Returns when no more frames follow.
        func stop() async {
            await withCheckedContinuation { continuation in
                RPScreenRecorder.shared().stopCapture { @Sendable _ in continuation.resume() }
            }
        }

        /// Called on any thread. The frame is upright.
        private func capture(_ sample: CMSampleBuffer) {
            guard let pixels = CMSampleBufferGetImageBuffer(sample) else { return }
            let seconds = CMTimeGetSeconds(CMSampleBufferGetPresentationTimeStamp(sample))
            guard seconds.isFinite else { return }
            let frame = RTCVideoFrame(
                buffer: RTCCVPixelBuffer(pixelBuffer: pixels), rotation: ._0, timeStampNs: Int64(seconds * 1e9))
            delegate?.capturer(self, didCapture: frame)
        }
    }
#endif
