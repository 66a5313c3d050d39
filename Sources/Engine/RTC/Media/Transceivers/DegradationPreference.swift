/// What a video sender gives up first while the network or the processor is too slow (W3C RTCDegradationPreference).
public enum DegradationPreference: String, Sendable, Hashable, CaseIterable {
    /// Whatever looks best with films and faces: by measurement, the size alone (docs/media.md).
    case balanced
    /// The size: for motion. At present the same steps as ``balanced``.
    case maintainFramerate = "maintain-framerate"
    /// The frame rate: for text and drawings, such as a shared screen.
    case maintainResolution = "maintain-resolution"
    /// Neither: frames get fewer bits, and are left out when there is no room for them at all.
    case maintainFramerateAndResolution = "maintain-framerate-and-resolution"
}
