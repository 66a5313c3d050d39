// on: macos ios visionos
// refused: (capture of|non-Sendable)
import Foundation
final class Counter { var count = 0 }
func run(_ counter: Counter) { Thread.detachNewThread { counter.count += 1 } }
