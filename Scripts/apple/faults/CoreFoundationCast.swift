// on: macos ios visionos
// refused: conditional downcast to CoreFoundation type
import CoreFoundation
func data(_ any: AnyObject) -> CFData? { any as? CFData }
