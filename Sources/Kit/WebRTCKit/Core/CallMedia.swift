/// The media that a caller announces in its invitation, for the callee to show while it rings.
public enum CallMedia: String, Sendable, Hashable, CaseIterable {
    case audio, video, data
}
