/// The changes of audio and video that the peer has to apply, in this order: ``Negotiator/takeMediaChanges()``.
///
/// A transceiver of the other side's offer and its track exist as soon as the offer is set, so that the answer can
/// include a track of ours. Sending and receiving change together with the answer.
package enum MediaChange: Sendable, Hashable {
    /// The other side's offer was withdrawn, and with it the transceiver that it had brought. Forget it.
    case transceiverRemoved(TransceiverID)
    /// Its section was closed or refused. It sends and receives no more, and it is forgotten here.
    case transceiverStopped(TransceiverID)
    /// A transceiver was added for a new section of the other side's offer. It only receives, unless its direction is
    /// set before the answer is made.
    case transceiverAdded(Transceiver)
    /// Media was negotiated, or its parameters have changed.
    case parameters(MediaSectionParameters)
    /// The track reported by ``remoteTrack(_:)`` is not sent any more (the W3C mutes the track). It may be sent again.
    case remoteTrackRemoved(TransceiverID)
    /// The other side sends, according to its description, or the streams of its track have changed.
    case remoteTrack(RemoteTrack)
}
