// on: ios macos
// refused: Sendable closure
// chosen: by a reader who did not write the headers
import Network
@MainActor final class C { var n = 0
 let m = NWPathMonitor()
 func t() { m.pathUpdateHandler = { _ in self.n += 1 } } }
