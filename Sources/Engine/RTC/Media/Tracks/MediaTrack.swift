public import RTCMedia

/// A track of sound or of pictures (W3C MediaStreamTrack): an ``AudioTrack`` or a ``VideoTrack``.
public protocol MediaTrack: AnyObject, Sendable {
    /// Names the track to the other peer: up to 64 letters, digits and marks such as `-` and `_`.
    var id: String { get }

    var kind: MediaKind { get }

    /// A track that is not enabled goes on, without its content: black pictures and silence are sent, and nothing is
    /// delivered here. May be set from any thread, at any time, and needs no negotiation.
    var isEnabled: Bool { get set }

    /// Whether nothing comes for a reason that is not ours: of a track that is received, before its first packet, and
    /// while the other peer does not send.
    var isMuted: Bool { get }

    /// Whether it is over for good: ``stop()`` was called, or what brought it is closed.
    var isEnded: Bool { get }

    /// What happens to the track from now on; of what nobody reads, the newest 16. The sequence ends with the track.
    var events: AsyncStream<MediaTrackEvent> { get }

    /// Ends the track. Its source stops, its sequences finish, and senders send nothing of it any more.
    func stop()
}

/// What happens to a track. Cases may be added: give a `switch` a `default`.
public enum MediaTrackEvent: Sendable, Hashable {
    /// Nothing comes any more, until `unmute`.
    case mute
    case unmute
    /// It is over, by no act of ours.
    case ended
}

extension MediaTrack {
    /// A new name for a track.
    static func randomID() -> String {
        let digits = Array("0123456789abcdef")
        return String((0..<32).map { _ in digits[Int.random(in: 0..<16)] })
    }
}
