public import RTCMedia
internal import RTCPeer
internal import Synchronization

/// A sender and a receiver of one kind of media that are negotiated together (W3C RTCRtpTransceiver).
///
/// It may be used from any thread. It does not keep the connection: keep that as long as the call is to last.
public final class RTPTransceiver: Sendable {
    /// Which ways media may go, seen from this side.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        case sendrecv, sendonly, recvonly, inactive
        /// For good.
        case stopped

        /// Whether this side sends.
        public var sends: Bool { self == .sendrecv || self == .sendonly }
        /// Whether this side receives.
        public var receives: Bool { self == .sendrecv || self == .recvonly }
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

    /// The name of its media section; `nil` before a description has one.
    public var mid: String? { state.withLock { $0.mid } }

    /// What this side would like, from the next exchange of descriptions on.
    public var direction: Direction { state.withLock { $0.direction } }

    /// What was agreed upon; `nil` before the first answer.
    public var currentDirection: Direction? { state.withLock { $0.currentDirection } }

    public var isStopped: Bool { direction == .stopped }

    /// Wishes for another direction, which needs an exchange of descriptions; with perfect negotiation it begins at once.
    ///
    /// - Throws: ``RTCError`` `invalidArgument` for `.stopped`: use ``stop()``; `invalidState` when it is stopped or the
    ///   connection closed.
    public func setDirection(_ direction: Direction) async throws(RTCError) {
        try await requireConnection().setDirection(direction, of: id)
    }

    /// Says which codecs the next descriptions name, the preferred one first; none for all of the configuration's.
    ///
    /// - Throws: ``RTCError`` `invalidArgument` for a codec that the configuration does not have, or `invalidState`.
    public func setCodecPreferences(_ codecs: [RTPCodec]) async throws(RTCError) {
        try await requireConnection().setCodecPreferences(codecs, of: id)
    }

    /// Stops sending and receiving for good. The other peer is told with the next exchange of descriptions.
    ///
    /// Stopping twice does nothing.
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

    /// `nil` for stopped.
    var described: SDPDirection? { SDPDirection(rawValue: rawValue) }
}
