// on: macos ios
// refused: was deprecated in
import AVFoundation
@MainActor func show(_ layer: AVSampleBufferDisplayLayer) { layer.flush() }
