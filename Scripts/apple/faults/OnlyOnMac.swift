// on: ios visionos
// refused: cannot find 'Process' in scope
import Foundation
func child() -> Any { Process() }
