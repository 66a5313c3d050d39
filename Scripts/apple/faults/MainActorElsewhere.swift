// on: macos ios visionos
// refused: main actor-isolated
import AVFoundation
import Foundation
@MainActor final class Asking {
    var isGranted = false
    func ask() {
        AVCaptureDevice.requestAccess(for: .audio) { granted in self.isGranted = granted }
    }
}
