// on: ios macos visionos
// refused: 'init\(\)' is unavailable
// chosen: by a reader who did not write the headers
import AuthenticationServices
func t() -> ASWebAuthenticationSession { ASWebAuthenticationSession() }
