package import RTCWire

/// Finds out how NATs and firewalls treat UDP, by asking STUN servers (RFC 5780), as a value without sockets and clock.
///
/// A server with a second address (OTHER-ADDRESS) reveals both: whether the external address depends on the destination
/// (section 4.3), and from which addresses the NAT accepts datagrams (section 4.4). Without such a server, the external
/// addresses that several servers see are compared. Two sockets of one local address are used: datagrams of the first
/// to the second address would open the NAT for the answers that the filtering tests wait for, so these tests use the
/// other socket.
///
/// ```
/// first socket                                    second socket
///   → each server                 seen as M1
///   → other address, same port    seen as M2        → the server            seen as N
///   → other address, other port   seen as M3        → the server, to be answered from the other address and port
///                                                   → the server, to be answered from the other port
///   → N                                             → M1                    does the NAT hairpin?
/// ```
///
/// The owner opens the sockets, hands datagrams to ``receive(_:on:at:)``, drains ``pollTransmit(into:)`` and
/// ``pollEvent()`` after each call, and runs one timer for ``nextDeadline``. It is over within three times the time that a
/// request has, 8 s by default.
package struct NATDiscovery {
    /// An intermediate result for the owner.
    package enum Event: Sendable, Hashable {
        /// A server answered. The time is from the first request, so a lost datagram is part of it.
        case answered(server: TransportAddress, mapped: TransportAddress, after: TimeDelta)
        /// A server answered with an error.
        case refused(server: TransportAddress, STUNError)
        /// A server did not answer.
        case silent(server: TransportAddress)
        /// The last event.
        case finished(NATFindings)
    }

    /// One of the two sockets.
    package struct Socket: Sendable, Hashable {
        package var id: SocketID
        /// The address to which it is bound: not the unspecified one.
        package var address: TransportAddress

        package init(id: SocketID, address: TransportAddress) {
            self.id = id
            self.address = address
        }
    }

    /// A request leaves at 0, 250, 750 and 1,750 ms, and is given up at 2,750 ms.
    package static let retransmission = STUNRetransmission(
        timeout: .milliseconds(250), maximumTransmissions: 4, lastWaitFactor: 4)
    /// Further servers would give no new information.
    package static let maximumServers = 8

    let first: Socket
    let second: Socket
    let retransmission: STUNRetransmission
    private let random: any RandomSource
    private let servers: [TransportAddress]

    var probes: [NATProbe] = []
    private var events: [Event] = []
    private var findings = NATFindings()
    private var isFinished = false
    /// The server for the later tests, and its OTHER-ADDRESS, if it has one.
    private var base: TransportAddress?
    private var other: TransportAddress?
    private var hasBegunTests = false
    /// The mapped addresses of tests II and III of RFC 5780, section 4.3.
    private var seenByOtherAddress: TransportAddress?
    private var seenByOther: TransportAddress?
    /// The mapped address of the second socket.
    private var secondMapped: TransportAddress?
    /// The results of the filtering tests; `false` while no response has arrived.
    private var passedBoth = false
    private var passedPort = false
    private var filteringIsTested = false

    /// - Parameters:
    ///   - servers: Of the family of the sockets; others are passed over, and so are all but the first eight.
    package init(
        servers: [TransportAddress], first: Socket, second: Socket,
        retransmission: STUNRetransmission = NATDiscovery.retransmission, random: any RandomSource,
        at now: Instant
    ) {
        self.first = first
        self.second = second
        self.retransmission = retransmission
        self.random = random
        var usable: [TransportAddress] = []
        for server in servers
        where server.ip.isIPv4 == first.address.ip.isIPv4 && server.port > 0 && !usable.contains(server) {
            usable.append(server)
        }
        self.servers = Array(usable.prefix(Self.maximumServers))
        for server in self.servers { ask(.server, from: first, server, at: now) }
        advance(at: now)
    }

    package mutating func pollEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

    package var nextDeadline: Instant? { probes.map(\.deadline).min() }

    /// Retransmits unanswered requests, and gives up those that were never answered.
    package mutating func handleTimeout(at now: Instant) {
        var overdue: [NATProbe] = []
        probes.removeAll { probe in
            guard probe.deadline <= now, retransmission.isLast(probe.transmissions) else { return false }
            overdue.append(probe)
            return true
        }
        for index in probes.indices where probes[index].deadline <= now { probes[index].isDue = true }
        for probe in overdue where probe.purpose == .server {
            findings.silent.append(probe.remote)
            events.append(.silent(server: probe.remote))
        }
        advance(at: now)
    }

    // MARK: Answers

    /// Processes a received datagram. Anything but an answer, or our own request, is ignored.
    package mutating func receive(_ datagram: RawSpan, on path: TransportPath, at now: Instant) {
        guard let message = STUNMessage(datagram), message.method == .binding, message.fingerprint != .wrong,
            let index = probes.firstIndex(where: { $0.transactionID == message.transactionID })
        else { return }
        let probe = probes[index]
        switch message.messageClass {
        case .request:
            // Our own request, reflected by the NAT.
            guard probe.purpose == .hairpin, path.socket != probe.socket.id else { return }
            findings.hairpins = true
            probes.removeAll { $0.purpose == .hairpin }
        case .successResponse:
            guard path.socket == probe.socket.id, probe.expects(path.remote) else { return }
            probes.remove(at: index)
            answered(probe, message.mappedAddress, message.otherAddress, from: path.remote, at: now)
        case .errorResponse:
            guard path.socket == probe.socket.id, path.remote == probe.remote else { return }
            probes.remove(at: index)
            refused(probe, message.error ?? .serverError)
        case .indication: return
        }
        advance(at: now)
    }

    private mutating func answered(
        _ probe: NATProbe, _ mapped: TransportAddress?, _ otherAddress: TransportAddress?,
        from source: TransportAddress, at now: Instant
    ) {
        switch probe.purpose {
        case .server:
            guard let mapped, mapped.ip.isIPv4 == first.address.ip.isIPv4 else { return refused(probe, .serverError) }
            findings.mapped.append(.init(server: probe.remote, address: mapped))
            events.append(.answered(server: probe.remote, mapped: mapped, after: now - probe.began))
            if base == nil, let otherAddress, Self.isUsable(otherAddress, of: probe.remote) {
                base = probe.remote
                other = otherAddress
            }
        case .otherAddress: seenByOtherAddress = mapped
        case .otherAddressAndPort: seenByOther = mapped
        case .second: secondMapped = mapped
        case .changeBoth:
            // A response from the original address means that the server ignored CHANGE-REQUEST, so it shows nothing.
            if source == probe.remote { return filteringIsTested = false }
            passedBoth = true
            probes.removeAll { $0.purpose == .changePort }
        case .changePort:
            if source == probe.remote { return filteringIsTested = false }
            passedPort = true
        case .hairpin: break
        }
    }

    private mutating func refused(_ probe: NATProbe, _ error: STUNError) {
        switch probe.purpose {
        case .server: events.append(.refused(server: probe.remote, error))
        case .changeBoth, .changePort: filteringIsTested = false
        case .otherAddress, .otherAddressAndPort, .second, .hairpin: break
        }
    }

    /// Whether OTHER-ADDRESS differs from the server's in both IP address and port.
    private static func isUsable(_ other: TransportAddress, of server: TransportAddress) -> Bool {
        other.isPlausible(reportedBy: server) && other.ip != server.ip && other.port != server.port
    }

    // MARK: Test sequence

    private mutating func advance(at now: Instant) {
        if isFinished { return }
        if base == nil, !probes.contains(where: { $0.purpose == .server }) { base = findings.mapped.first?.server }
        if let base, !hasBegunTests {
            hasBegunTests = true
            if let other {
                ask(.otherAddress, from: first, TransportAddress(ip: other.ip, port: base.port), at: now)
                ask(.otherAddressAndPort, from: first, other, at: now)
            }
            ask(.second, from: second, base, at: now)
        }
        if let secondMapped, let base { testSecond(secondMapped, base, at: now) }
        guard probes.isEmpty else { return }
        isFinished = true
        conclude()
        events.append(.finished(findings))
    }

    /// Tests filtering and hairpinning, now that the second socket has its mapping.
    private mutating func testSecond(_ mapped: TransportAddress, _ base: TransportAddress, at now: Instant) {
        secondMapped = nil
        if other != nil {
            filteringIsTested = true
            ask(.changeBoth, from: second, base, at: now)
            ask(.changePort, from: second, base, at: now)
        }
        guard let own = findings.mapped.first(where: { $0.server == base })?.address, own != first.address,
            own.isPlausible(reportedBy: base), mapped.isPlausible(reportedBy: base)
        else { return }
        // In both directions, so that each request opens the NAT's filter for the other.
        findings.hairpins = false
        ask(.hairpin, from: first, mapped, at: now)
        ask(.hairpin, from: second, own, at: now)
    }

    private mutating func conclude() {
        if filteringIsTested {
            findings.filtering =
                passedBoth ? .endpointIndependent : passedPort ? .addressDependent : .addressAndPortDependent
        }
        guard let seen = findings.mapped.first(where: { $0.server == base })?.address else { return }
        let all = findings.mapped.map(\.address)
        if all.allSatisfy({ $0 == first.address }) {
            findings.mapping = .untranslated
            return
        }
        findings.preservesPort = all.allSatisfy { $0.port == first.address.port }
        if let seenByOtherAddress {
            if seenByOtherAddress == seen {
                findings.mapping = .endpointIndependent
            } else if let seenByOther {
                findings.mapping = seenByOther == seenByOtherAddress ? .addressDependent : .addressAndPortDependent
            } else {
                findings.mapping = .dependent
            }
        } else if let seenByOther {
            findings.mapping = seenByOther == seen ? .endpointIndependent : .dependent
        } else if findings.mapped.count > 1 {
            findings.mapping = all.allSatisfy { $0 == seen } ? .endpointIndependent : .dependent
        }
    }

    private mutating func ask(
        _ purpose: NATProbe.Purpose, from socket: Socket, _ remote: TransportAddress, at now: Instant
    ) {
        probes.append(
            NATProbe(
                purpose: purpose, socket: socket, remote: remote, transactionID: .random(from: random), began: now))
    }
}
