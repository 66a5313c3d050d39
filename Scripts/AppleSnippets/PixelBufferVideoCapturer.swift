import CoreImage
import CoreMedia
import CoreVideo
import Foundation
import ImageIO
import QuartzCore
import WebRTCKit

// The README's example of a custom video capturer, as it stands there.

final class PixelBufferVideoCapturer: RTCVideoCapturer {

    private let context = CIContext()

    func captureFrame(_ pixelBuffer: CVPixelBuffer, imageOrientation: CGImagePropertyOrientation) {
        let currentMediaTime = CACurrentMediaTime()
        let time = CMTime(seconds: currentMediaTime, preferredTimescale: 1_000_000)
        let seconds = CMTimeGetSeconds(time)
        let timeStampNs = Int64(seconds * Double(NSEC_PER_SEC))
        let buffer = RTCCVPixelBuffer(pixelBuffer: pixelBuffer)
        let videoFrame = RTCVideoFrame(
            buffer: buffer,
            rotation: {
                switch imageOrientation {
                case .up, .upMirrored:
                    return ._0
                case .right, .rightMirrored:
                    return ._90
                case .down, .downMirrored:
                    return ._180
                case .left, .leftMirrored:
                    return ._270
                }
            }(),
            timeStampNs: timeStampNs
        )
        self.delegate?.capturer(self, didCapture: videoFrame)
    }
}

/// It is passed to the controller, before the call or in the middle of it.
@MainActor
final class Recorder {
    let webRTCController: WebRTCController
    let videoCapturer = PixelBufferVideoCapturer()

    init(_ webRTCController: WebRTCController) {
        self.webRTCController = webRTCController
    }

    func record() async throws {
        try await webRTCController.startRecording(videoCapturer: videoCapturer)
    }

    func addVideo() async throws {
        try await webRTCController.startVideoRecording(videoCapturer: videoCapturer)
    }
}
