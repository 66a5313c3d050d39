internal import RTCWire

/// Creates, refreshes, loses and recreates an allocation (RFC 8656, sections 7 and 8).
extension TURNClient {
    // MARK: Creating

    /// Begins a new allocation from any state.
    mutating func begin(at now: Instant) {
        dropRequests()
        families = configuration.families
        if configuration.isStream { connect() } else { allocate(at: now) }
    }

    /// Forgets all requests: nothing of them is written, and no response to them counts.
    mutating func dropRequests() {
        transactions = []
        outbox = []
    }

    mutating func connect() {
        state = .connecting
        events.append(.needsConnection)
    }

    mutating func allocate(at now: Instant) {
        state = .allocating
        if let newCredentials {
            authentication.replace(newCredentials)
            self.newCredentials = nil
        }
        request(.allocate(families), at: now)
    }

    mutating func allocationSucceeded(_ message: borrowing STUNMessage, at now: Instant) {
        guard state == .allocating else { return }
        let addresses = message.xorAddresses(.xorRelayedAddress, limit: 4)
        var taken: [TransportAddress] = []
        for address in addresses
        where Self.isUsable(address) && families.contains(address.ip)
            && !taken.contains(where: { $0.ip.isIPv4 == address.ip.isIPv4 })
        {
            taken.append(address)
        }
        guard !taken.isEmpty, let mapped = message.mappedAddress, let lifetime = message.uint32(.lifetime), lifetime > 0
        else {
            fail(TURNFailure(.malformed, retryAfter: backoff()), at: now)
            return
        }
        var new = Allocation(relayed: taken, mapped: mapped, createdAt: now)
        new.keep(for: lifetime, at: now)
        allocation = new
        state = .allocated
        mismatches = 0
        events.append(.allocated(relayed: taken, mapped: mapped))
    }

    /// Whether an address can be a unicast endpoint at all.
    static func isUsable(_ address: TransportAddress) -> Bool {
        address.port != 0 && !address.ip.isUnspecified && !address.ip.isMulticast && !address.ip.isIPv4Mapped
            && address.ip.v4Bits != .max
    }

    // MARK: Refreshing

    /// Does what is due of the allocation.
    mutating func runAllocation(at now: Instant) {
        guard let expiresAt = allocation?.expiresAt, let refreshAt = allocation?.refreshAt else { return }
        guard expiresAt > now else {
            // All refreshes were unanswered.
            lose(TURNFailure(.noAnswer), at: now)
            return
        }
        if refreshAt <= now { refresh(at: now) }
        if keepAliveAt <= now {
            allocation?.keepsAlive = true
            lastSent = now
        }
        for ip in allocation?.takeDuePermissions(at: now) ?? [] { request(.createPermission(ip), at: now) }
        for channel in allocation?.takeDueChannels(at: now) ?? [] {
            request(.channelBind(channel.number, channel.peer), at: now)
        }
    }

    var isRefreshing: Bool { transactions.contains { $0.request == .refresh(releases: false) } }

    mutating func refresh(at now: Instant) {
        allocation?.refreshAt = .distantFuture
        if !isRefreshing { request(.refresh(releases: false), at: now) }
    }

    /// Limits the wait for a refresh response over a stream to a few seconds: TCP itself would retry for minutes.
    mutating func limitRefreshTime(at now: Instant) {
        guard configuration.isStream else { return }
        for index in transactions.indices where transactions[index].request == .refresh(releases: false) {
            transactions[index].due = min(transactions[index].due, now + Self.probeTime)
        }
    }

    private static var probeTime: TimeDelta { .seconds(5) }

    mutating func refreshSucceeded(_ message: borrowing STUNMessage, at now: Instant) {
        guard state == .allocated else { return }
        guard let lifetime = message.uint32(.lifetime), lifetime > 0 else {
            lose(TURNFailure(.malformed), at: now)
            return
        }
        allocation?.keep(for: lifetime, at: now)
        forgiveFailures(at: now)
    }

    /// Forgets earlier failures once the allocation has lasted.
    private mutating func forgiveFailures(at now: Instant) {
        guard let age = allocation.map({ now - $0.createdAt }), age > Self.settledAfter else { return }
        failures = 0
    }

    /// The time of the next keepalive: over UDP, 20 s after the last packet to the server, before a NAT drops its
    /// mapping. Otherwise the server would hold an unreachable allocation and refuse its refresh from another port
    /// (437).
    var keepAliveAt: Instant {
        configuration.isStream ? .distantFuture : lastSent + Self.keepAliveInterval
    }

    private static var keepAliveInterval: TimeDelta { .seconds(20) }

    // MARK: Losing

    /// Whether the allocation was lost so soon that retrying at once might never end.
    func isShortLived(at now: Instant) -> Bool {
        guard let age = allocation.map({ now - $0.createdAt }) else { return false }
        return age < Self.settledAfter && failures > 0
    }

    private static var settledAfter: TimeDelta { .seconds(60) }

    /// Handles the loss of the allocation and requests another.
    mutating func lose(_ failure: TURNFailure, at now: Instant) {
        let isShortLived = isShortLived(at: now)
        let hasMoved = server != configuration.server
        forgetAllocation(failure, at: now)
        // The first retry is immediate; if the loss recurs soon, with backoff.
        if isShortLived || failure.reason == .noAnswer {
            fail(TURNFailure(failure.reason, code: failure.code, retryAfter: backoff()), at: now)
            return
        }
        failures += 1
        switch failure.reason {
        case .unauthorized, .wrongCredentials, .forbidden:
            // The server will not release what it does not let us refresh, so another local address is needed.
            if newCredentials != nil { connect() } else { fail(failure, at: now) }
        default:
            // Another server requires another stream.
            if hasMoved, configuration.isStream { connect() } else { allocate(at: now) }
        }
    }

    mutating func forgetAllocation(_ failure: TURNFailure, at now: Instant) {
        forgiveFailures(at: now)
        allocation = nil
        families = configuration.families
        dropRequests()
        events.append(.lost(failure))
        returnToFirstServer()
    }

    /// Rests until the failure's retry time, or until new credentials arrive.
    mutating func fail(_ failure: TURNFailure, mayHoldAllocation: Bool = false, at now: Instant) {
        dropRequests()
        state = .backingOff(
            Pause(
                until: failure.retryAfter.map { now + $0 } ?? .distantFuture, because: failure.reason,
                mayHoldAllocation: mayHoldAllocation))
        failures += 1
        events.append(.failed(failure))
        // The next attempt begins with a new connection, so this one is not needed.
        if configuration.isStream { events.append(.dropsConnection) }
        returnToFirstServer()
    }

    /// The time until the next attempt: 1, 2, 4 … 60 seconds.
    func backoff() -> TimeDelta {
        min(.seconds(1) * (1 << min(failures, 6)), .seconds(60))
    }

    // MARK: Another server

    /// Handles 300 (RFC 8489, section 10): repeats the request at another server.
    mutating func redirect(_ message: borrowing STUNMessage, at now: Instant) {
        visited.removeAll { now - $0.at >= Self.redirectionBackoff }
        visited.append((server, now))
        let domain = message.text(.alternateDomain)
        guard let alternate = message.alternateServer, alternate.isPlausible(reportedBy: server),
            visited.count <= Self.maximumRedirections, !visited.contains(where: { $0.server == alternate }),
            domain.map(Self.isDomain) ?? !message.has(.alternateDomain)
        else {
            fail(TURNFailure(.redirection, code: 300, retryAfter: Self.redirectionBackoff), at: now)
            return
        }
        server = alternate
        authentication.forget()
        events.append(.redirected(to: alternate, domain: domain))
        begin(at: now)
    }

    /// Whether a string is a plausible server name: it is used for TLS and in logs.
    private static func isDomain(_ text: String) -> Bool {
        let name = text.utf8.last == UInt8(ascii: ".") ? text.utf8.dropLast() : text.utf8[...]
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // The last label of an IPv4 address is numeric, that of a domain name never is.
        guard name.count <= 253, let last = labels.last, !last.allSatisfy(isDigit) else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.count)
                && label.allSatisfy { byte in
                    isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Returns to the configured server: it may answer now, or redirect elsewhere.
    private mutating func returnToFirstServer() {
        guard server != configuration.server else { return }
        server = configuration.server
        authentication.forget()
        events.append(.redirected(to: server, domain: nil))
    }

    private static var maximumRedirections: Int { 4 }
    /// The wait after a failed redirection, in which the servers may be reconfigured.
    static var redirectionBackoff: TimeDelta { .seconds(300) }
}
