// on: visionos
// refused: unavailable in visionOS
import AVFoundation
func lens(_ camera: AVCaptureDevice) throws {
    camera.exposureMode = .continuousAutoExposure
}
