// on: macos ios visionos
// refused: is only available in
public struct Fixed { var bytes: [4 of UInt8] }
