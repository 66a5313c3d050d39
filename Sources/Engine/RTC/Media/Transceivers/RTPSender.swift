internal import RTCPeer
internal import Synchronization

/// Sends one track after another over one RTP stream (W3C RTCRtpSender). One half of an ``RTPTransceiver``.
///
/// It does not keep the connection; once that is closed or gone, nothing is sent any more.
public final class RTPSender: Sendable {
    struct State {
        var track: (any MediaTrack)?
        var parameters = RTPSendParameters()
    }

    let id: TransceiverID
    let state = Mutex(State())
    private let connection: WeakReference<PeerConnection>

    init(id: TransceiverID, connection: WeakReference<PeerConnection>) {
        self.id = id
        self.connection = connection
    }

    /// What is sent; `nil` for nothing.
    public var track: (any MediaTrack)? { state.withLock { $0.track } }

    /// How it is encoded.
    public var parameters: RTPSendParameters { state.withLock { $0.parameters } }

    /// Sends another track in place of the present one, at once and without negotiation; `nil` sends nothing.
    ///
    /// - Throws: ``RTCError`` `invalidArgument` for a track of the other kind, `invalidState` when the transceiver is
    ///   stopped or the connection closed.
    public func replaceTrack(_ track: (any MediaTrack)?) async throws(RTCError) {
        try await requireConnection().replaceTrack(track, of: id)
    }

    /// Encodes otherwise from now on.
    ///
    /// - Throws: ``RTCError`` `invalidArgument` for values out of range, `invalidState` when the transceiver is stopped or
    ///   the connection closed.
    public func setParameters(_ parameters: RTPSendParameters) async throws(RTCError) {
        try parameters.validate()
        try await requireConnection().setParameters(parameters, of: id)
    }

    private func requireConnection() throws(RTCError) -> PeerConnection {
        guard let connection = connection.value else { throw .connectionClosed }
        return connection
    }
}

extension RTCError {
    static var connectionClosed: RTCError {
        RTCError(code: .invalidState, message: "the connection is closed: make a new one")
    }
}
