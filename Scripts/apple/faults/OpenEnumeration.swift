// on: macos ios visionos
// refused: may have additional unknown values
import WebKit
func mutes(_ state: WKMediaCaptureState) -> Bool { switch state { case .none, .active: false case .muted: true } }
