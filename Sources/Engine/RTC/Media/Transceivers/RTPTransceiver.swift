public import RTCMedia
internal import RTCPeer
internal import Synchronization

/// A sender and a receiver of one kind of media that share a media section (W3C RTCRtpTransceiver).
///
/// It may be used from any thread. It does not keep the connection alive: keep a reference to the connection during the
/// call.
public final class RTPTransceiver: Sendable {
    /// The directions in which media flow, seen from this peer.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        case sendrecv, sendonly, recvonly, inactive
        /// Neither sends nor receives, for good.
        case stopped

        /// Whether this peer sends.
        package var sends: Bool { self == .sendrecv || self == .sendonly }
        /// Whether this peer receives.
        package var receives: Bool { self == .sendrecv || self == .recvonly }
    }

    struct State {
        var mid: String?
        var direction: Direction
        var currentDirection: Direction?
    }

    public let kind: MediaKind
    public let sender: RTPSender
    public let receiver: RTPReceiver
    let id: TransceiverID
    let state: Mutex<State>
    private let connection: WeakReference<PeerConnection>

    init(
        id: TransceiverID, kind: MediaKind, direction: Direction, receiver: RTPReceiver,
        connection: WeakReference<PeerConnection>
    ) {
        self.id = id
        self.kind = kind
        self.receiver = receiver
        self.connection = connection
        sender = RTPSender(id: id, connection: connection)
        state = Mutex(State(direction: direction))
    }

    /// The identifier of the media section; `nil` before it is in a description.
    public var mid: String? { state.withLock { $0.mid } }

    /// The preferred direction, which the next offer or answer contains.
    public var direction: Direction { state.withLock { $0.direction } }

    /// The negotiated direction; `nil` before the first answer.
    public var currentDirection: Direction? { state.withLock { $0.currentDirection } }

    public var isStopped: Bool { direction == .stopped }

    /// Sets the preferred direction, which needs renegotiation; with perfect negotiation that begins at once.
    ///
    /// - Throws: ``RTCError`` `invalidArgument` for `.stopped`: use ``stop()``; `invalidState` if the transceiver is
    ///   stopped or the connection closed.
    public func setDirection(_ direction: Direction) async throws(RTCError) {
        try await requireConnection().setDirection(direction, of: id)
    }

    /// Sets the codecs that the next descriptions contain, in order of preference; empty for all codecs of the
    /// configuration.
    ///
    /// - Throws: ``RTCError`` `invalidArgument` if a codec is not in the configuration, or `invalidState`.
    public func setCodecPreferences(_ codecs: [RTPCodec]) async throws(RTCError) {
        try await requireConnection().setCodecPreferences(codecs, of: id)
    }

    /// Stops sending and receiving for good. The next offer tells the peer.
    ///
    /// Does nothing if the transceiver is stopped already.
    public func stop() async {
        await connection.value?.stopTransceiver(id)
    }

    private func requireConnection() throws(RTCError) -> PeerConnection {
        guard let connection = connection.value else { throw .connectionClosed }
        return connection
    }

    func update(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
    }
}

extension RTPTransceiver.Direction {
    init(_ direction: SDPDirection) {
        self =
            switch direction {
            case .sendrecv: .sendrecv
            case .sendonly: .sendonly
            case .recvonly: .recvonly
            case .inactive: .inactive
            }
    }

    /// `nil` when stopped.
    var described: SDPDirection? { SDPDirection(rawValue: rawValue) }
}
