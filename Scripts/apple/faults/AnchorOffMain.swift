// on: ios macos
// refused: main actor-isolated initializer
// chosen: by a reader who did not write the headers
import AuthenticationServices
import Foundation
final class P: NSObject, ASWebAuthenticationPresentationContextProviding {
    nonisolated func presentationAnchor(for s: ASWebAuthenticationSession) -> ASPresentationAnchor { ASPresentationAnchor() } }
