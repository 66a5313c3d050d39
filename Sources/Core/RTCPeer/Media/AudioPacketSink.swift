public import RTCWire

/// Takes the packets of sound that a peer receives, as they arrive: usually an `AudioJitterBuffer` behind a lock, which
/// a play-out thread empties.
///
/// It is called while the peer handles the datagram, and must return at once.
public protocol AudioPacketSink: AnyObject {
    /// - Parameter payload: What the codec's decoder takes. Valid during the call.
    func receive(_ payload: RawSpan, _ packet: AudioPacketInfo)

    /// Takes a copy of an earlier packet that `packet`, the one received last, has brought along (RFC 2198).
    ///
    /// - Parameter payload: What the codec's decoder takes. Valid during the call.
    func receiveCopy(_ payload: RawSpan, _ copy: AudioCopyInfo, in packet: AudioPacketInfo)

    /// Another source takes over; what follows has nothing to do with what came before.
    func reset()

    /// Sound is to be held back by this much more, so that it waits for the picture (lip sync).
    func setExtraDelay(_ delay: TimeDelta)

    /// What is heard at present, for lip sync: its RTP timestamp, and when it is heard.
    var presentation: (timestamp: RTPTimestamp, time: Instant)? { get }
}

extension AudioPacketSink {
    /// Does without copies.
    public func receiveCopy(_ payload: RawSpan, _ copy: AudioCopyInfo, in packet: AudioPacketInfo) {}
}

/// Which packet a copy is of.
public struct AudioCopyInfo: Sendable, Hashable {
    /// By how many ticks it is earlier than the packet that brought it.
    public var timestampOffset: UInt32
    /// 1 for the last copy in that packet, 2 for the one before, …
    public var place: Int
}

/// What a packet of sound says beside its payload.
public struct AudioPacketInfo: Sendable {
    public var codec: MediaSectionParameters.Codec
    /// Without wrap-around.
    public var sequenceNumber: Int64
    public var timestamp: RTPTimestamp
    public var arrival: Instant
}
