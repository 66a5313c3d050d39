// on: ios visionos
// refused: call can throw
// chosen: by a reader who did not write the headers
import AVFAudio
func t() { AVAudioSession.sharedInstance().setActive(true, options: []) }
