/// What the peer has to do for audio and video, in this order: ``Negotiator/takeMediaChanges()``.
///
/// A transceiver of the other side's offer and its track are there as soon as the offer is set, so that the answer can
/// have a track of ours. What is sent and received changes together with the answer.
public enum MediaChange: Sendable, Hashable {
    /// The other side's offer was withdrawn, and with it the transceiver that it had brought. Forget it.
    case transceiverRemoved(TransceiverID)
    /// Its section was closed or refused. It sends and receives no more, and it is forgotten here.
    case transceiverStopped(TransceiverID)
    /// The other side's offer has a section that no transceiver of ours is for. This one is, and receives only, unless
    /// its direction is set before the answer is made.
    case transceiverAdded(Transceiver)
    /// Media is agreed upon, or what was agreed changed.
    case parameters(MediaSectionParameters)
    /// What was told by ``remoteTrack(_:)`` is not sent any more (the W3C mutes the track). It may come again.
    case remoteTrackRemoved(TransceiverID)
    /// The other side sends, as far as its description says, or the streams of what it sends changed.
    case remoteTrack(RemoteTrack)
}
