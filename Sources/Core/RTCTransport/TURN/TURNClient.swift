package import RTCWire

/// A client of one TURN server over one transport (RFC 8656), as a value without a socket and without a clock.
///
/// Its owner carries its messages to the server and back: as datagrams, or over a stream as the messages that
/// ``StreamReassembly`` finds. After each input drain it: ``pollTransmit(into:at:)`` until `false`, ``pollEvent()``
/// until `nil`, then a timer for ``nextDeadline``. Relayed data are framed with ``framing(for:)`` and
/// ``frame(_:to:at:)``, and received with ``receive(_:at:)``.
package struct TURNClient {
    enum State: Hashable {
        /// Not started.
        case idle
        /// Waiting for its owner: ``TURNEvent/needsConnection``.
        case connecting
        case allocating
        /// With an ``allocation``, which stands beside the state because it is large.
        case allocated
        /// After a failure.
        case backingOff(Pause)
        /// The release is on its way; without a response, it ends then.
        case releasing(until: Instant)
        case closed
    }

    struct Pause: Hashable {
        /// The time of the next attempt; `distantFuture` until new credentials arrive.
        var until: Instant
        let because: TURNFailure.Reason
        /// Whether the server may have made an allocation whose response was lost.
        let mayHoldAllocation: Bool
    }

    let configuration: TURNConfiguration
    let crypto: any CryptoProvider
    let random: any RandomSource

    var state = State.idle
    /// There in the state `allocated` only.
    var allocation: Allocation?
    /// The destination of requests: the configured server, or the one to which it redirected.
    package internal(set) var server: TransportAddress
    var authentication: STUNLongTermAuthentication
    /// New credentials for the next allocation, while the current one keeps the old.
    var newCredentials: TURNCredentials?
    /// The requested families: the configured ones, or IPv4 alone if a server has refused both. Reset for another
    /// server or a later attempt.
    var families: TURNFamilies

    /// The number of consecutive failures, for the backoff.
    var failures: Int64 = 0
    /// The number of consecutive allocation mismatches (437).
    var mismatches = 0
    /// The servers that redirected us, and when.
    var visited: [(server: TransportAddress, at: Instant)] = []

    var transactions: [TURNTransaction] = []
    /// Transactions whose request is to be written, in order.
    var outbox: [STUNTransactionID] = []
    /// No channel is requested before this time, because the server lacked capacity.
    var channelsAllowedFrom = Instant(nanoseconds: .min)
    /// The time of the last packet to the server.
    var lastSent = Instant.zero
    var events: [TURNEvent] = []
    package internal(set) var counters = TURNCounters()

    /// When ``handleTimeout(at:)`` is due, or `nil` when nothing is. Constant time.
    package internal(set) var nextDeadline: Instant?

    package init(
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

    /// The addresses that the server relays from, one per family; empty without an allocation.
    package var relayed: [TransportAddress] { allocation?.relayed ?? [] }
    /// Our address as the server sees it, or `nil` without an allocation.
    package var mapped: TransportAddress? { allocation?.mapped }
    /// Whether the server relays for us.
    package var isAllocated: Bool { state == .allocated }
    /// Whether the client waits for the server or for its connection: neither an allocation nor a failure yet.
    package var isPending: Bool { state == .connecting || state == .allocating }
    /// Whether the client was not started, or rests after a failure.
    package var isInactive: Bool { state == .idle || pause != nil }

    var pause: Pause? {
        if case .backingOff(let pause) = state { pause } else { nil }
    }

    // MARK: Life cycle

    /// Asks for an allocation; over a stream, for a connection first.
    package mutating func start(at now: Instant) {
        guard state == .idle else { return }
        if configuration.isStream || configuration.wantsOwnSocket { connect() } else { allocate(at: now) }
        advance(at: now)
    }

    /// The requested stream, or another local socket, is open.
    package mutating func connected(at now: Instant) {
        guard state == .connecting else { return }
        allocate(at: now)
        advance(at: now)
    }

    /// The stream has ended, could not be opened, or makes no sense; or there is no other local socket.
    package mutating func disconnected(at now: Instant) {
        switch state {
        case .closed, .idle, .backingOff:
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
    package mutating func networkChanged(at now: Instant) {
        switch pause?.because {
        case .noAnswer, .connectionLost:
            failures = 0
            begin(at: now)
            advance(at: now)
        default: return
        }
    }

    /// Extends the pause, because another client goes first.
    mutating func postpone(until later: Instant) {
        guard var pause, pause.until < later else { return }
        pause.until = later
        state = .backingOff(pause)
        updateDeadline()
    }

    /// Sets other credentials, such as REST ones that replace those about to expire.
    ///
    /// An allocation belongs to the user name that created it (RFC 8656, section 5), so an existing one keeps the old
    /// credentials for as long as the server allows, and the next one uses the new ones. A client that was refused, and
    /// waits, tries again immediately.
    package mutating func setCredentials(_ credentials: TURNCredentials?, at now: Instant) {
        guard credentials != (newCredentials ?? authentication.credentials) else { return }
        switch state {
        case .allocated:
            newCredentials = credentials
        case .idle, .connecting:
            authentication.replace(credentials)
        case .allocating, .backingOff:
            authentication.replace(credentials)
            newCredentials = nil
            families = configuration.families
            failures = 0
            dropRequests()
            // Uses another local port: coturn ties a port to the first user name seen on it, right or wrong.
            connect()
        case .releasing, .closed: return
        }
        advance(at: now)
    }

    /// Asks the server whether the allocation still exists, when packets through it are not answered. A server that has
    /// restarted denies it, and a new allocation follows; on a dead stream the answer does not come.
    package mutating func probe(at now: Instant) {
        guard state == .allocated else { return }
        if !isRefreshing { refresh(at: now) }
        limitRefreshTime(at: now)
        advance(at: now)
    }

    /// Releases the allocation, also one whose response is still pending. Poll the request as usual; the response, or
    /// at most 3.5 s, ends the client.
    package mutating func close(at now: Instant) {
        switch state {
        case .closed, .releasing: return
        default: break
        }
        let mayBeAllocated =
            state == .allocated || state == .allocating && hasAskedWithCredentials
            || pause?.mayHoldAllocation == true
        allocation = nil
        dropRequests()
        guard mayBeAllocated else {
            finish()
            return
        }
        state = .releasing(until: now + schedule(of: .refresh(releases: true)).totalTime)
        request(.refresh(releases: true), at: now)
        advance(at: now)
    }

    /// Whether the client has ended: nothing more will be sent.
    package var isClosed: Bool { state == .closed }

    mutating func finish() {
        state = .closed
        allocation = nil
        dropRequests()
        nextDeadline = nil
    }

    // MARK: Time and output

    /// Does what is due by ``nextDeadline``.
    package mutating func handleTimeout(at now: Instant) {
        advance(at: now)
    }

    /// The next event, or `nil`.
    package mutating func pollEvent() -> TURNEvent? {
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
        case .backingOff(let pause) where pause.until <= now: begin(at: now)
        case .releasing(let end) where end <= now: finish()
        case .allocated: runAllocation(at: now)
        default: break
        }
        updateDeadline()
    }

    mutating func updateDeadline() {
        var next = Instant.distantFuture
        for transaction in transactions { next = min(next, transaction.due) }
        switch state {
        case .backingOff(let pause): next = min(next, pause.until)
        case .releasing(let end): next = min(next, end)
        case .allocated: next = min(next, allocation?.nextDeadline ?? .distantFuture, keepAliveAt)
        default: break
        }
        nextDeadline = state == .closed || next == .distantFuture ? nil : next
    }
}

extension TURNClient: CustomStringConvertible, CustomReflectable {
    package var description: String { "TURNClient(\(server), \(configuration.transport), \(state.name))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension TURNClient.State {
    fileprivate var name: String {
        switch self {
        case .idle: "idle"
        case .connecting: "connecting"
        case .allocating: "allocating"
        case .allocated: "allocated"
        case .backingOff: "resting"
        case .releasing: "releasing"
        case .closed: "closed"
        }
    }
}
