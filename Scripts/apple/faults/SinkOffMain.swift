// on: macos ios visionos
// refused: Sendable closure
import AVFAudio
@MainActor final class Meter { var count = 0
 func tap() -> AVAudioSinkNode { AVAudioSinkNode { _, _, _ in self.count += 1; return 0 } } }
