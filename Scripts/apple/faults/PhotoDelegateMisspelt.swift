// on: macos ios
// refused: nearly matches optional requirement
import AVFoundation
final class Photos: NSObject, AVCapturePhotoCaptureDelegate {
    func photoOutput(_ output: AVCapturePhotoOutput, didFinishProcessing photo: AVCapturePhoto, error: (any Error)?) {}
}
