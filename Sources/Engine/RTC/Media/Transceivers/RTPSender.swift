internal import RTCPeer
internal import Synchronization

/// Sends a track (W3C RTCRtpSender). Part of an ``RTPTransceiver``.
///
/// It does not keep the connection alive; once that is closed or released, nothing is sent.
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

    /// The track that is sent; `nil` if there is none.
    public var track: (any MediaTrack)? { state.withLock { $0.track } }

    /// The encoding parameters.
    public var parameters: RTPSendParameters { state.withLock { $0.parameters } }

    /// Replaces the track at once, without renegotiation (W3C `replaceTrack`); `nil` sends nothing.
    ///
    /// - Throws: ``RTCError`` `invalidArgument` if the track is of the other kind, `invalidState` if the transceiver is
    ///   stopped or the connection closed.
    public func replaceTrack(_ track: (any MediaTrack)?) async throws(RTCError) {
        try await requireConnection().replaceTrack(track, of: id)
    }

    /// Sets the encoding parameters.
    ///
    /// - Throws: ``RTCError`` `invalidArgument` if a value is out of range, `invalidState` if the transceiver is
    ///   stopped or the connection closed.
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
