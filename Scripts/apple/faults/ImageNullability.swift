// on: ios macos
// refused: must be unwrapped
// chosen: by a reader who did not write the headers
import CoreFoundation
import ImageIO
func t(_ d: CFMutableData, _ s: CFString) -> Bool {
    CGImageDestinationFinalize(CGImageDestinationCreateWithData(d, s, 1, nil)) }
