// on: macos
// refused: has no member 'cancelOperations'
// chosen: by a reader who did not write the headers
import AppKit
let s = #selector(NSResponder.cancelOperations(_:))
