internal import Synchronization

/// What a video track shows, so that its senders give up what matters least (W3C mst-content-hint).
public enum VideoContentHint: String, Sendable, Hashable, CaseIterable {
    /// Motion matters: a camera, a film, a game. Senders keep the frame rate.
    case motion
    /// Details matter: pictures, drawings, a slide with photos. Senders keep the size.
    case detail
    /// Text must stay legible: a shared screen, a document. Senders keep the size.
    case text

    /// What senders do without a preference of their own.
    var degradationPreference: DegradationPreference {
        switch self {
        case .motion: .maintainFramerate
        case .detail, .text: .maintainResolution
        }
    }
}

/// The hint of a track, which its senders read with each frame.
final class VideoContentHintBox: Sendable {
    private let hint = Mutex<VideoContentHint?>(nil)

    var value: VideoContentHint? {
        get { hint.withLock { $0 } }
        set { hint.withLock { $0 = newValue } }
    }
}
