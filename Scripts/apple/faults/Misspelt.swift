// on: macos ios visionos
// refused: cannot find
import VideoToolbox
func stop(_ session: VTCompressionSession) { VTCompressionSessionInvalid(session) }
