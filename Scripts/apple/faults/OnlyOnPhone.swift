// on: macos
// refused: unavailable in macOS
import AVFoundation
func category() -> Any { AVAudioSession.sharedInstance() }
