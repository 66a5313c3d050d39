public import RTCMedia
internal import RTCPeer

/// How a transceiver begins (W3C RTCRtpTransceiverInit).
public struct RTPTransceiverOptions: Sendable {
    public var direction: RTPTransceiver.Direction = .sendrecv
    /// The streams that the other peer shall see the track in: names of up to 64 letters, digits and marks.
    public var streams: [String] = []
    public var sendParameters = RTPSendParameters()
    /// The codecs to choose from, the preferred one first; empty for all of the configuration's.
    public var codecs: [RTPCodec] = []

    public init() {}
}

extension PeerConnection {
    // MARK: Tracks

    /// Sends a track (W3C `addTrack`): over a transceiver that has not sent yet, or else over a new one.
    ///
    /// With perfect negotiation the other peer learns of it at once. Nothing is sent before both agree.
    ///
    /// - Parameters:
    ///   - track: What is sent.
    ///   - streams: The streams that the other peer shall see the track in: names of up to 64 letters, digits and marks.
    ///     It keeps tracks of one stream in time with each other.
    /// - Returns: What sends it, to replace the track or to change its parameters.
    /// - Throws: ``RTCError`` `invalidArgument` when the track is sent already or a name cannot be used, `invalidState`
    ///   when the connection is closed.
    @discardableResult
    public func addTrack(_ track: any MediaTrack, streams: [String] = []) throws(RTCError) -> RTPSender {
        try engine.addTrack(track, streams: streams, connection: self)
    }

    /// Sends the sender's track no more (W3C `removeTrack`). The transceiver stays, and may be used again. A sender of
    /// another connection, or without a track, is left alone.
    ///
    /// - Throws: ``RTCError`` `invalidState` when the connection is closed.
    public func removeTrack(_ sender: RTPSender) throws(RTCError) {
        try engine.removeTrack(sender)
    }

    // MARK: Transceivers

    /// Adds a transceiver without a track, for instance to receive only (W3C `addTransceiver`).
    ///
    /// - Throws: ``RTCError`` `invalidArgument` for options that cannot be used, `invalidState` when the connection is
    ///   closed.
    @discardableResult
    public func addTransceiver(
        _ kind: MediaKind, options: RTPTransceiverOptions = RTPTransceiverOptions()
    ) throws(RTCError) -> RTPTransceiver {
        try engine.addTransceiver(kind, track: nil, options: options, connection: self)
    }

    /// Adds a transceiver that sends `track` (W3C `addTransceiver`).
    ///
    /// - Throws: ``RTCError`` `invalidArgument` for options that cannot be used, or `invalidState` when the connection is
    ///   closed.
    @discardableResult
    public func addTransceiver(
        sending track: any MediaTrack, options: RTPTransceiverOptions = RTPTransceiverOptions()
    ) throws(RTCError) -> RTPTransceiver {
        try engine.addTransceiver(track.kind, track: track, options: options, connection: self)
    }

    /// Those that are not stopped, in the order in which they came.
    public var transceivers: [RTPTransceiver] { engine.transceivers }

    /// What sends, of ``transceivers``.
    public var senders: [RTPSender] { engine.transceivers.map(\.sender) }

    /// What receives, of ``transceivers``.
    public var receivers: [RTPReceiver] { engine.transceivers.map(\.receiver) }

    // MARK: What the handles ask for

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
