// on: ios visionos
// refused: Sendable closure
// chosen: by a reader who did not write the headers
import CallKit
import Foundation
@MainActor final class C { var n = 0
 let p: CXProvider
 init(_ p: CXProvider) { self.p = p }
 func t() { p.reportNewIncomingCall(with: UUID(), update: CXCallUpdate()) { _ in self.n += 1 } } }
