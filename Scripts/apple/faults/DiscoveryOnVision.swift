// on: visionos
// refused: only available in visionOS 2\.1|unavailable in visionOS
// chosen: by a reader who did not write the headers
import AVFoundation
func t() -> [AVCaptureDevice] {
    AVCaptureDevice.DiscoverySession(deviceTypes: [.external], mediaType: .video, position: .unspecified).devices }
