// on: ios macos
// refused: Sendable closure
// chosen: by a reader who did not write the headers
import AuthenticationServices
import Foundation
@MainActor final class C {
    var n = 0
 func t(_ u: URL) -> ASWebAuthenticationSession { ASWebAuthenticationSession(url: u, callback: .customScheme("a")) { _, _ in self.n += 1 } } }
