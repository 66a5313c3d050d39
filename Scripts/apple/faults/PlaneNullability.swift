// on: ios macos
// refused: must be unwrapped
// chosen: by a reader who did not write the headers
import CoreVideo
func t(_ b: CVPixelBuffer) -> UnsafeMutableRawPointer { CVPixelBufferGetBaseAddressOfPlane(b, 0) }
