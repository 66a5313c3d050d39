/// The state of a signed-in device.
final class SessionRecord {
    /// Its number among all sessions, which decides where nothing else does.
    let serial: UInt64
    /// The session's secret.
    let token: String
    let peer: SignalingPeer
    /// `nil` while it is disconnected.
    var connection: ConnectionID?
    /// The calls that ring or run here, as caller or callee.
    var calls: Set<CallID> = []
    var watched: [UserID] = [] {
        didSet { updateShare() }
    }
    /// The number of disconnections, by which an outdated deadline is recognized.
    var absences = 0
    /// Whether it is counted in ``AbsentSessions``.
    var isCountedAway = false
    /// Whether its client has proved to be that user.
    var isAuthenticated = false
    /// The network of its client's last connection.
    var network: String?
    /// The exchange's ``MemoryExchange/position`` when its client connected last.
    var attachedAt: UInt64
    private(set) var hasEnded = false
    /// The rate limit of invites: no further one is accepted before this time minus the burst.
    private(set) var invitesPaidUntil: Duration = .zero

    /// The last number accepted from the client, and the last one acknowledged.
    private(set) var received: UInt64 = 0
    private(set) var acknowledged: UInt64 = 0
    private(set) var lastSent: UInt64 = 0
    /// The messages up to the number `lastSent` that are not acknowledged.
    private(set) var unacknowledged: [[UInt8]] = []
    private(set) var unacknowledgedBytes = 0 {
        didSet { updateShare() }
    }
    private var share: MemoryShare

    init(
        serial: UInt64, token: String, peer: SignalingPeer, connection: ConnectionID?, network: String?,
        attachedAt: UInt64, memory: MemoryUse
    ) {
        self.serial = serial
        self.network = network
        self.attachedAt = attachedAt
        share = MemoryShare(of: memory)
        self.token = token
        self.peer = peer
        self.connection = connection
    }

    /// The memory that it holds, in bytes.
    var heldBytes: Int { share.bytes }

    private func updateShare() {
        share.bytes = unacknowledgedBytes + unacknowledged.count * 64 + watched.count * Self.bytesOfWatching
    }

    /// The bytes of a watched user: an identifier here, and an entry in the table of watchers.
    private static let bytesOfWatching = 256

    var user: UserID { peer.user }
    var device: SignalingDeviceID { peer.device }
    var isAcknowledgementDue: Bool { received > acknowledged }

    enum Arrival {
        case new, double, gap
    }

    func arrive(_ seq: UInt64) -> Arrival {
        if seq <= received { return .double }
        guard seq == received &+ 1 else { return .gap }
        received = seq
        return .new
    }

    /// - Returns: Whether a message with this number was sent.
    func acknowledge(_ number: UInt64) -> Bool {
        guard number <= lastSent else { return false }
        let first = lastSent - UInt64(unacknowledged.count) + 1
        guard number >= first else { return true }
        let count = Int(number - first + 1)
        let freed = unacknowledged[..<count].reduce(0) { $0 + $1.count }
        unacknowledged.removeFirst(count)
        // Releases the storage, since many sessions are silent for hours.
        if unacknowledged.isEmpty { unacknowledged = [] }
        unacknowledgedBytes -= freed
        return true
    }

    /// Whether a quarter of the buffer stays free for the exchange's own messages.
    func hasRoom(_ limits: ExchangeLimits) -> Bool {
        unacknowledged.count < limits.unacknowledgedMessages / 4 * 3
            && unacknowledgedBytes < limits.unacknowledgedBytes / 4 * 3
    }

    func isFull(_ limits: ExchangeLimits) -> Bool {
        unacknowledged.count > limits.unacknowledgedMessages || unacknowledgedBytes > limits.unacknowledgedBytes
    }

    /// Serializes a message, with a number if its type has one.
    func number(_ message: ServerMessage) -> [UInt8] {
        let ack = isAcknowledgementDue ? received : nil
        acknowledged = received
        guard message.isNumbered == true else { return Envelope(message, ack: ack).json() }
        lastSent += 1
        let bytes = Envelope(message, seq: lastSent, ack: ack).json()
        unacknowledged.append(bytes)
        unacknowledgedBytes += bytes.count
        return bytes
    }

    /// An `ack` message.
    func acknowledgement() -> [UInt8] {
        acknowledged = received
        return Envelope(ServerMessage.ack, ack: received).json()
    }

    /// - Returns: The time until the next invite is allowed; `nil` if one is allowed now, which is then counted.
    func waitForInvite(_ limits: ExchangeLimits, at now: Duration) -> Duration? {
        let paid = max(invitesPaidUntil, now) + limits.inviteInterval
        let excess = paid - now - limits.inviteInterval * limits.inviteBurst
        guard excess <= .zero else { return excess }
        invitesPaidUntil = paid
        return nil
    }

    /// Whether all messages that the client has not received are still stored.
    func canResume(after number: UInt64) -> Bool {
        number <= lastSent && lastSent - number <= UInt64(unacknowledged.count)
    }

    /// Called when `welcome` reports `received`, which acknowledges it.
    func noteAcknowledged() {
        acknowledged = received
    }

    /// Whether it is still disconnected since then.
    func isAway(since absence: Int) -> Bool { !hasEnded && connection == nil && absences == absence }

    /// Takes over what a snapshot says of its messages.
    func restore(
        invitesPaidUntil: Duration, received: UInt64, acknowledged: UInt64, lastSent: UInt64, unacknowledged: [[UInt8]]
    ) {
        self.invitesPaidUntil = invitesPaidUntil
        self.received = received
        self.acknowledged = acknowledged
        self.lastSent = lastSent
        self.unacknowledged = unacknowledged
        unacknowledgedBytes = unacknowledged.reduce(0) { $0 + $1.count }
    }

    func end() {
        hasEnded = true
        connection = nil
        unacknowledged = []
        unacknowledgedBytes = 0
    }
}

extension SessionRecord: Hashable {
    static func == (one: SessionRecord, other: SessionRecord) -> Bool { one === other }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
