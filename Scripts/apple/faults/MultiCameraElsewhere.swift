// on: macos visionos
// refused: unavailable in
import AVFoundation
func session() -> Any { AVCaptureMultiCamSession() }
