public import RTCMedia

/// An ``AudioTrack`` or a ``VideoTrack`` (W3C MediaStreamTrack).
public protocol MediaTrack: AnyObject, Sendable {
    /// The identifier of the track, which the peer learns: up to 64 letters, digits and punctuation marks such as `-`
    /// and `_`.
    var id: String { get }

    var kind: MediaKind { get }

    /// Whether the track has content. A disabled local track sends black frames or silence; a disabled remote track
    /// delivers nothing on this device. May be set from any thread, at any time, without renegotiation.
    var isEnabled: Bool { get set }

    /// Whether a remote track has no media: before its first packet, and while the peer does not send.
    var isMuted: Bool { get }

    /// Whether the track has ended for good: ``stop()`` was called, or its source or connection is closed.
    var isEnded: Bool { get }

    /// The events of the track from now on. A slow reader receives the newest 16. The sequence ends with the track.
    var events: AsyncStream<MediaTrackEvent> { get }

    /// Ends the track. Its source stops, its sequences finish, and senders send no more of it.
    func stop()
}

/// An event of a track. Cases may be added: give a `switch` a `default`.
public enum MediaTrackEvent: Sendable, Hashable {
    /// The track has no media until `unmute`.
    case mute
    case unmute
    /// The track has ended, although ``MediaTrack/stop()`` was not called.
    case ended
}

extension MediaTrack {
    /// Returns a new identifier for a track.
    static func randomID() -> String {
        let digits = Array("0123456789abcdef")
        return String((0..<32).map { _ in digits[Int.random(in: 0..<16)] })
    }
}
