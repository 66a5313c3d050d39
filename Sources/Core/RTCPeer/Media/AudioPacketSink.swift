public import RTCWire

/// Receives a peer's audio packets as they arrive: usually an `AudioJitterBuffer` behind a lock, which a playout thread
/// reads.
///
/// It is called while the peer handles the datagram, and must return immediately.
@usableFromInline package protocol AudioPacketSink: AnyObject {
    /// - Parameter payload: The payload for the codec's decoder. Valid during the call.
    func receive(_ payload: RawSpan, _ packet: AudioPacketInfo)

    /// Receives a copy of an earlier packet, which was contained in `packet`, the last received one (RFC 2198).
    ///
    /// - Parameter payload: The payload for the codec's decoder. Valid during the call.
    func receiveCopy(_ payload: RawSpan, _ copy: AudioCopyInfo, in packet: AudioPacketInfo)

    /// Begins again with another source: the following packets are unrelated to the earlier ones.
    func reset()

    /// Sets the additional delay that synchronizes audio with video (lip sync).
    func setExtraDelay(_ delay: TimeDelta)

    /// The RTP timestamp that was passed to the playing device last, and when, for lip sync.
    var presentation: (timestamp: RTPTimestamp, time: Instant)? { get }

    /// The time from passing audio to the playing device until it is heard, smoothed, for lip sync; zero if nothing
    /// plays it.
    var playoutDelay: TimeDelta { get }
}

extension AudioPacketSink {
    /// Does without copies.
    @usableFromInline package func receiveCopy(_ payload: RawSpan, _ copy: AudioCopyInfo, in packet: AudioPacketInfo) {}

    /// Plays at once.
    @usableFromInline package var playoutDelay: TimeDelta { .zero }
}

/// Which packet a copy is of.
@usableFromInline package struct AudioCopyInfo: Sendable, Hashable {
    /// By how many ticks it is earlier than the packet that brought it.
    @usableFromInline package var timestampOffset: UInt32
    /// 1 for the last copy in that packet, 2 for the one before, …
    @usableFromInline package var place: Int
}

/// The information about an audio packet besides its payload.
@usableFromInline package struct AudioPacketInfo: Sendable {
    package var codec: MediaSectionParameters.Codec
    /// Without wrap-around.
    @usableFromInline package var sequenceNumber: Int64
    @usableFromInline package var timestamp: RTPTimestamp
    @usableFromInline package var arrival: Instant
}
