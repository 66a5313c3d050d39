// on: ios macos visionos
// refused: was deprecated in
// chosen: by a reader who did not write the headers
import AVFoundation
func t(_ l: AVSampleBufferDisplayLayer) -> Bool { l.status == .failed }
