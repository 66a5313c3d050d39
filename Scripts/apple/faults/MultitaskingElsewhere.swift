// on: macos visionos
// refused: is unavailable in
// chosen: by a reader who did not write the headers
import AVFoundation
func t(_ s: AVCaptureSession) -> Bool { s.isMultitaskingCameraAccessSupported }
