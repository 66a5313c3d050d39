/// What an exchange keeps of a device that is signed in.
final class SessionRecord {
    /// A secret.
    let token: String
    let peer: SignalingPeer
    /// `nil` while its socket is gone.
    var connection: ConnectionID?
    /// Calls that ring or run here, as caller or callee.
    var calls: Set<CallID> = []
    var watched: [UserID] = [] {
        didSet { updateShare() }
    }
    /// Grows each time that the socket goes, so that an old deadline is told from a new one.
    var absences = 0
    /// Whether it is among the ``AbsentSessions``.
    var isCountedAway = false
    /// Where its client comes from, or came from.
    var network: String?
    private(set) var hasEnded = false
    /// Before this moment less the burst, no further invite is taken.
    private var invitesPaidUntil: Duration = .zero

    /// The last number taken from the client, and the last of these that it was told of.
    private(set) var received: UInt64 = 0
    private(set) var receivedAndTold: UInt64 = 0
    private(set) var lastSent: UInt64 = 0
    /// Messages with the numbers up to `lastSent`, not acknowledged.
    private(set) var unacknowledged: [[UInt8]] = []
    private(set) var unacknowledgedBytes = 0 {
        didSet { updateShare() }
    }
    private var share: MemoryShare

    init(token: String, peer: SignalingPeer, connection: ConnectionID, network: String?, memory: MemoryUse) {
        self.network = network
        share = MemoryShare(of: memory)
        self.token = token
        self.peer = peer
        self.connection = connection
    }

    /// What is kept for it, in bytes.
    var heldBytes: Int { share.bytes }

    private func updateShare() {
        share.bytes = unacknowledgedBytes + unacknowledged.count * 64 + watched.count * Self.bytesOfWatching
    }

    /// A name here, and a place in the table of those who watch.
    private static let bytesOfWatching = 256

    var user: UserID { peer.user }
    var device: SignalingDeviceID { peer.device }
    var owesAcknowledgement: Bool { received > receivedAndTold }

    enum Arrival {
        case new, double, gap
    }

    func arrive(_ seq: UInt64) -> Arrival {
        if seq <= received { return .double }
        guard seq == received &+ 1 else { return .gap }
        received = seq
        return .new
    }

    /// - Returns: Whether such a message was ever sent.
    func acknowledge(_ number: UInt64) -> Bool {
        guard number <= lastSent else { return false }
        let first = lastSent - UInt64(unacknowledged.count) + 1
        guard number >= first else { return true }
        let count = Int(number - first + 1)
        let freed = unacknowledged[..<count].reduce(0) { $0 + $1.count }
        unacknowledged.removeFirst(count)
        // The many sessions that say nothing for hours keep no empty storage.
        if unacknowledged.isEmpty { unacknowledged = [] }
        unacknowledgedBytes -= freed
        return true
    }

    /// Whether what goes there next leaves a quarter of the room free, which the exchange's own messages may need.
    func hasRoom(_ limits: ExchangeLimits) -> Bool {
        unacknowledged.count < limits.unacknowledgedMessages / 4 * 3
            && unacknowledgedBytes < limits.unacknowledgedBytes / 4 * 3
    }

    func isFull(_ limits: ExchangeLimits) -> Bool {
        unacknowledged.count > limits.unacknowledgedMessages || unacknowledgedBytes > limits.unacknowledgedBytes
    }

    /// The JSON of a message, which now has a number if its type has one.
    func number(_ message: ServerMessage) -> [UInt8] {
        let ack = owesAcknowledgement ? received : nil
        receivedAndTold = received
        guard message.isNumbered == true else { return Envelope(message, ack: ack).json() }
        lastSent += 1
        let bytes = Envelope(message, seq: lastSent, ack: ack).json()
        unacknowledged.append(bytes)
        unacknowledgedBytes += bytes.count
        return bytes
    }

    /// An `ack` of its own.
    func acknowledgement() -> [UInt8] {
        receivedAndTold = received
        return Envelope(ServerMessage.ack, ack: received).json()
    }

    /// - Returns: How long to wait until there may be another invite; `nil` if there may be one now, which counts.
    func waitForInvite(_ limits: ExchangeLimits, at now: Duration) -> Duration? {
        let paid = max(invitesPaidUntil, now) + limits.inviteInterval
        let excess = paid - now - limits.inviteInterval * limits.inviteBurst
        guard excess <= .zero else { return excess }
        invitesPaidUntil = paid
        return nil
    }

    /// Whether all that the client has not had is still here.
    func canResume(after number: UInt64) -> Bool {
        number <= lastSent && lastSent - number <= UInt64(unacknowledged.count)
    }

    /// To be said with `welcome`, which tells `received`.
    func tellReceived() {
        receivedAndTold = received
    }

    /// Whether it is still that absence of it.
    func isAway(since absence: Int) -> Bool { !hasEnded && connection == nil && absences == absence }

    func end() {
        hasEnded = true
        connection = nil
        unacknowledged = []
        unacknowledgedBytes = 0
    }
}
