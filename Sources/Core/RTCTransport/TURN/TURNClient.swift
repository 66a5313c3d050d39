public import RTCWire

/// A client of one TURN server over one transport (RFC 8656), as a value without a socket and without a clock.
///
/// Its owner carries its messages to the server and back: as datagrams, or over a stream as the messages that
/// ``StreamReassembly`` finds. After each input drain it: ``pollTransmit(into:at:)`` until `false`, ``pollEvent()``
/// until `nil`, then a timer for ``nextDeadline``. Relayed data are framed with ``framing(for:)`` and
/// ``frame(_:to:at:)``, and received with ``receive(_:at:)``.
public struct TURNClient {
    enum State {
        /// Not started.
        case idle
        /// Waiting for its owner: ``TURNEvent/needsConnection``.
        case connecting
        case allocating
        case allocated
        /// After a failure, until ``retryAt``.
        case resting
        /// The release is on its way.
        case releasing
        case closed
    }

    let configuration: TURNConfiguration
    let crypto: any CryptoProvider
    let random: any RandomSource

    var state = State.idle
    /// The destination of requests: the configured server, or the one to which it redirected.
    public internal(set) var server: TransportAddress
    var authentication: STUNLongTermAuthentication
    /// New credentials for the next allocation, while the current one keeps the old.
    var newCredentials: TURNCredentials?
    /// The requested families: the configured ones, or IPv4 alone if a server has refused both. Reset for another
    /// server or a later attempt.
    var families: TURNFamilies

    /// The addresses that the server relays from, one per family; empty without an allocation.
    public internal(set) var relayed: [TransportAddress] = []
    public internal(set) var mapped: TransportAddress?
    var allocatedAt = Instant.zero
    var expiresAt = Instant.distantFuture
    var refreshAt = Instant.distantFuture
    var retryAt = Instant.distantFuture
    /// Whether the server may have made an allocation whose response was lost.
    var mayHoldAllocation = false
    /// The time at which a release ends without a response.
    var releaseEndsAt = Instant.distantFuture
    /// The number of consecutive failures, for the backoff.
    var failures: Int64 = 0
    /// The reason why the client rests.
    var restsBecause: TURNFailure.Reason?
    /// The number of consecutive allocation mismatches (437).
    var mismatches = 0
    /// The servers that redirected us, and when.
    var visited: [(server: TransportAddress, at: Instant)] = []

    var transactions: [TURNTransaction] = []
    /// Transactions whose request is to be written, in order.
    var outbox: [STUNTransactionID] = []
    var permissions: [TURNPermission] = []
    var channels: [TURNChannel] = []
    /// The offset of the next channel number.
    var nextChannel: UInt16 = 0
    /// No channel is requested before this time, because the server lacked capacity.
    var channelsAllowedFrom = Instant(nanoseconds: .min)
    /// The time of the last packet to the server.
    var lastSent = Instant.zero
    /// Whether a keepalive is to be written.
    var keepsAlive = false
    /// Packets that wait for a permission, oldest first.
    var held: [(peer: TransportAddress, bytes: [UInt8])] = []
    var events: [TURNEvent] = []
    public internal(set) var counters = TURNCounters()

    /// When ``handleTimeout(at:)`` is due, or `nil` when nothing is. Constant time.
    public internal(set) var nextDeadline: Instant?

    public init(
        configuration: TURNConfiguration, credentials: TURNCredentials?, crypto: any CryptoProvider,
        random: any RandomSource
    ) {
        var configuration = configuration
        configuration.retransmission.timeout = max(configuration.retransmission.timeout, .milliseconds(100))
        configuration.retransmission.maximumTransmissions = min(
            max(configuration.retransmission.maximumTransmissions, 1), 16)
        configuration.maximumPermissions = min(max(configuration.maximumPermissions, 1), 256)
        configuration.maximumChannels = min(max(configuration.maximumChannels, 0), 256)
        configuration.maximumHeldPackets = min(max(configuration.maximumHeldPackets, 0), 256)
        self.configuration = configuration
        self.crypto = crypto
        self.random = random
        server = configuration.server
        families = configuration.families
        authentication = STUNLongTermAuthentication(credentials: credentials, crypto: crypto)
    }

    /// Whether the server relays for us.
    public var isAllocated: Bool { state == .allocated }
    /// Whether the client waits for the server or for its connection: neither an allocation nor a failure yet.
    public var isPending: Bool { state == .connecting || state == .allocating }
    /// Whether the client was not started, or rests after a failure.
    public var isResting: Bool { state == .idle || state == .resting }
    /// Whether it rests until new credentials arrive.
    var restsForGood: Bool { state == .resting && retryAt == .distantFuture }

    // MARK: Life cycle

    /// Asks for an allocation; over a stream, for a connection first.
    public mutating func start(at now: Instant) {
        guard state == .idle else { return }
        if configuration.isStream || configuration.wantsOwnSocket { connect() } else { allocate(at: now) }
        advance(at: now)
    }

    /// The requested stream, or another local socket, is open.
    public mutating func connected(at now: Instant) {
        guard state == .connecting else { return }
        allocate(at: now)
        advance(at: now)
    }

    /// The stream has ended, could not be opened, or makes no sense; or there is no other local socket.
    public mutating func disconnected(at now: Instant) {
        switch state {
        case .closed, .idle, .resting:
            // The next attempt opens a connection anyway.
            return
        case .releasing:
            finish()
        case .connecting, .allocating:
            fail(TURNFailure(.connectionLost, retryAfter: backoff()), at: now)
        case .allocated:
            let isShortLived = isShortLived(at: now)
            forgetAllocation(TURNFailure(.connectionLost), at: now)
            if isShortLived {
                fail(TURNFailure(.connectionLost, retryAfter: backoff()), at: now)
            } else {
                failures += 1
                connect()
            }
        }
        advance(at: now)
    }

    /// The machine has other addresses: a client that rests because the server could not be reached tries again at once.
    public mutating func networkChanged(at now: Instant) {
        switch restsBecause {
        case .noAnswer, .connectionLost:
            guard state == .resting else { return }
            failures = 0
            begin(at: now)
            advance(at: now)
        default: return
        }
    }

    /// Extends the pause, because another client goes first.
    mutating func postpone(until later: Instant) {
        guard state == .resting, retryAt < later else { return }
        retryAt = later
        updateDeadline()
    }

    /// Sets other credentials, such as REST ones that replace those about to expire.
    ///
    /// An allocation belongs to the user name that created it (RFC 8656, section 5), so an existing one keeps the old
    /// credentials for as long as the server allows, and the next one uses the new ones. A client that was refused, and
    /// waits, tries again immediately.
    public mutating func setCredentials(_ credentials: TURNCredentials?, at now: Instant) {
        guard credentials != (newCredentials ?? authentication.credentials) else { return }
        switch state {
        case .allocated:
            newCredentials = credentials
        case .idle, .connecting:
            authentication.replace(credentials)
        case .allocating, .resting:
            authentication.replace(credentials)
            newCredentials = nil
            families = configuration.families
            failures = 0
            transactions = []
            outbox = []
            retryAt = .distantFuture
            // Uses another local port: coturn ties a port to the first user name seen on it, right or wrong.
            connect()
        case .releasing, .closed: return
        }
        advance(at: now)
    }

    /// Asks the server whether the allocation still exists, when packets through it are not answered. A server that has
    /// restarted denies it, and a new allocation follows; on a dead stream the answer does not come.
    public mutating func probe(at now: Instant) {
        guard state == .allocated else { return }
        if !isRefreshing { refresh(at: now) }
        hurryRefresh(at: now)
        advance(at: now)
    }

    /// Releases the allocation, also one whose response is still pending. Poll the request as usual; the response, or
    /// at most 3.5 s, ends the client.
    public mutating func close(at now: Instant) {
        guard state != .closed, state != .releasing else { return }
        let mayBeAllocated =
            state == .allocated || state == .allocating && hasAskedWithCredentials
            || state == .resting && mayHoldAllocation
        transactions = []
        outbox = []
        held = []
        permissions = []
        channels = []
        relayed = []
        guard mayBeAllocated else {
            finish()
            return
        }
        state = .releasing
        releaseEndsAt = now + schedule(of: .refresh(releases: true)).totalTime
        request(.refresh(releases: true), at: now)
        advance(at: now)
    }

    /// Whether the client has ended: nothing more will be sent.
    public var isClosed: Bool { state == .closed }

    mutating func finish() {
        state = .closed
        transactions = []
        outbox = []
        held = []
        permissions = []
        channels = []
        nextDeadline = nil
    }

    // MARK: Time and output

    /// Does what is due by ``nextDeadline``.
    public mutating func handleTimeout(at now: Instant) {
        advance(at: now)
    }

    /// The next event, or `nil`.
    public mutating func pollEvent() -> TURNEvent? {
        guard !events.isEmpty else { return nil }
        return events.removeFirst()
    }

    /// Updates everything after an input or a deadline.
    mutating func advance(at now: Instant) {
        guard state != .closed else {
            nextDeadline = nil
            return
        }
        runTransactions(at: now)
        switch state {
        case .resting where retryAt <= now: begin(at: now)
        case .releasing where releaseEndsAt <= now: finish()
        case .allocated where expiresAt <= now:
            // All refreshes were unanswered.
            lose(TURNFailure(.noAnswer), at: now)
        case .allocated:
            if refreshAt <= now { refresh(at: now) }
            if keepAliveAt <= now {
                keepsAlive = true
                lastSent = now
            }
            runPermissions(at: now)
            runChannels(at: now)
        default: break
        }
        updateDeadline()
    }

    mutating func updateDeadline() {
        var next = Instant.distantFuture
        for transaction in transactions { next = min(next, transaction.due) }
        switch state {
        case .resting: next = min(next, retryAt)
        case .releasing: next = min(next, releaseEndsAt)
        case .allocated:
            next = min(next, refreshAt, expiresAt, keepAliveAt)
            for permission in permissions { next = min(next, permission.nextDeadline) }
            for channel in channels { next = min(next, channel.nextDeadline) }
        default: break
        }
        nextDeadline = state == .closed || next == .distantFuture ? nil : next
    }
}

extension TURNClient: CustomStringConvertible, CustomReflectable {
    public var description: String { "TURNClient(\(server), \(configuration.transport), \(state))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
