// on: macos ios visionos
// refused: must be unwrapped|value of optional type
import Foundation
func length(_ challenge: URLAuthenticationChallenge) -> Int { challenge.protectionSpace.realm.count }
