/// What a video sender gives up first while the network or the processor is too slow (W3C RTCDegradationPreference).
public enum DegradationPreference: String, Sendable, Hashable, CaseIterable {
    /// Size and frame rate, in the order that looks best with films and faces.
    case balanced
    /// The size: for motion.
    case maintainFramerate = "maintain-framerate"
    /// The frame rate: for text and drawings, such as a shared screen.
    case maintainResolution = "maintain-resolution"
    /// Neither: frames get fewer bits, and are left out when there is no room for them at all.
    case maintainFramerateAndResolution = "maintain-framerate-and-resolution"
}
