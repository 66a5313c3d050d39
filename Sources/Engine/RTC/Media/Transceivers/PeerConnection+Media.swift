public import RTCMedia
internal import RTCPeer

/// The initial settings of a transceiver (W3C RTCRtpTransceiverInit).
public struct RTPTransceiverOptions: Sendable {
    public var direction: RTPTransceiver.Direction = .sendrecv
    /// The identifiers of the streams to which the track belongs at the peer: up to 64 letters, digits and punctuation
    /// marks each.
    public var streams: [String] = []
    public var sendParameters = RTPSendParameters()
    /// The codecs to negotiate, in order of preference; empty for all codecs of the configuration.
    public var codecs: [RTPCodec] = []

    public init() {}
}

extension PeerConnection {
    // MARK: Tracks

    /// Adds a track to be sent (W3C `addTrack`), with an unused transceiver or a new one.
    ///
    /// With perfect negotiation, an offer is made at once. Nothing is sent before the peers have agreed.
    ///
    /// - Parameters:
    ///   - track: The track to send.
    ///   - streams: The identifiers of the streams to which the track belongs at the peer: up to 64 letters, digits and
    ///     punctuation marks each. The peer synchronises the tracks of a stream.
    /// - Returns: The sender of the track.
    /// - Throws: ``RTCError`` `invalidArgument` if the track is sent already or an identifier is invalid,
    ///   `invalidState` if the connection is closed.
    @discardableResult
    public func addTrack(_ track: any MediaTrack, streams: [String] = []) throws(RTCError) -> RTPSender {
        try engine.addTrack(track, streams: streams, connection: self)
    }

    /// Stops sending the track of a sender (W3C `removeTrack`). The transceiver stays, and may be used again. Does
    /// nothing if the sender belongs to another connection, or has no track.
    ///
    /// - Throws: ``RTCError`` `invalidState` if the connection is closed.
    public func removeTrack(_ sender: RTPSender) throws(RTCError) {
        try engine.removeTrack(sender)
    }

    // MARK: Transceivers

    /// Adds a transceiver without a track, for example to receive only (W3C `addTransceiver`).
    ///
    /// - Throws: ``RTCError`` `invalidArgument` if the options are invalid, `invalidState` if the connection is closed.
    @discardableResult
    public func addTransceiver(
        _ kind: MediaKind, options: RTPTransceiverOptions = RTPTransceiverOptions()
    ) throws(RTCError) -> RTPTransceiver {
        try engine.addTransceiver(kind, track: nil, options: options, connection: self)
    }

    /// Adds a transceiver that sends `track` (W3C `addTransceiver`).
    ///
    /// - Throws: ``RTCError`` `invalidArgument` if the options are invalid, `invalidState` if the connection is closed.
    @discardableResult
    public func addTransceiver(
        sending track: any MediaTrack, options: RTPTransceiverOptions = RTPTransceiverOptions()
    ) throws(RTCError) -> RTPTransceiver {
        try engine.addTransceiver(track.kind, track: track, options: options, connection: self)
    }

    /// The transceivers that are not stopped, in the order in which they were created.
    public var transceivers: [RTPTransceiver] { engine.transceivers }

    /// The senders of ``transceivers``.
    public var senders: [RTPSender] { engine.transceivers.map(\.sender) }

    /// The receivers of ``transceivers``.
    public var receivers: [RTPReceiver] { engine.transceivers.map(\.receiver) }

    // MARK: Requests of senders and transceivers

    func replaceTrack(_ track: (any MediaTrack)?, of id: TransceiverID) throws(RTCError) {
        try engine.replaceTrack(track, of: id)
    }

    func setParameters(_ parameters: RTPSendParameters, of id: TransceiverID) throws(RTCError) {
        try engine.setParameters(parameters, of: id)
    }

    func setDirection(_ direction: RTPTransceiver.Direction, of id: TransceiverID) throws(RTCError) {
        try engine.setDirection(direction, of: id)
    }

    func setCodecPreferences(_ codecs: [RTPCodec], of id: TransceiverID) throws(RTCError) {
        try engine.setCodecPreferences(codecs, of: id)
    }

    func stopTransceiver(_ id: TransceiverID) {
        engine.stopTransceiver(id)
    }
}
