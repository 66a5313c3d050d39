/// What a caller has in mind, for the callee to show while it rings.
public enum CallMedia: String, Sendable, Hashable, CaseIterable {
    case audio, video, data
}
