import RTCNetwork
import RTCTransport
import RTCWire
import Testing

@testable import RTC

@Suite("What a connectivity check concludes")
struct ConnectivityReportTests {
    @Test("Without a network nothing is possible, and that is not healthy")
    func nothing() {
        var report = ConnectivityReport()
        #expect(!report.isHealthy && report.routes.map(\.isPossible) == [false, nil, false])
        report.addresses = [Self.address("127.0.0.1", isUsed: true)]
        #expect(!report.isHealthy && report.routes[0].isPossible == false)
        report.addresses = [Self.address("192.0.2.1", isUsed: false)]
        #expect(!report.isHealthy)
        report.addresses = [Self.address("192.0.2.1", isUsed: true)]
        #expect(report.isHealthy && report.routes[0].isPossible == true)
        #expect(report.routes[0].explanation.contains("IPv4") && !report.routes[0].explanation.contains("IPv6"))
    }

    @Test("A server counts by the transport of its URL")
    func stated() throws {
        var report = Self.online
        report.servers = [try Self.server("turn:a", [(.udp, true, "noAnswer"), (.tcp, false, nil)])]
        #expect(!report.isHealthy && !report.servers[0].isUsable && report.routes[2].isPossible == false)
        report.servers = [try Self.server("turn:a?transport=tcp", [(.udp, false, "noAnswer"), (.tcp, true, nil)])]
        #expect(report.isHealthy && report.servers[0].isUsable)
        #expect(report.routes[2].isPossible == true && report.routes[2].explanation == "any peer, over TCP")
        report.servers = [try Self.server("turn:a", [])]
        #expect(!report.isHealthy)
    }

    @Test("UDP that is blocked is told from a server that is down")
    func blockedUDP() throws {
        var report = Self.online
        report.servers = [
            try Self.server("turn:a", [(.udp, true, "noAnswer"), (.tcp, false, nil)]),
            try Self.server("turn:b", [(.udp, true, "noAnswer"), (.tcp, false, "refused")]),
            try Self.server("stun:c", [(.udp, true, "noAnswer"), (.tls, false, nil)]),
        ]
        report.explainFailures()
        #expect(report.servers.map { $0.checks[0].failure?.code } == ["udpBlocked", "noAnswer", "udpBlocked"])
        #expect(report.servers[0].checks[0].failure?.advice.contains("transport=tcp") == true)
        #expect(report.servers[2].checks[0].failure?.advice.contains("transport=tcp") == false)
    }

    @Test(
        "What the kind of NAT means for direct connections",
        arguments: [
            (NATFindings.Mapping.untranslated, NATFindings.Filtering.endpointIndependent, true, "whatever NAT"),
            (.endpointIndependent, .addressDependent, true, "whatever NAT"),
            (.untranslated, .addressAndPortDependent, true, "but for those behind a symmetric"),
            (.endpointIndependent, .addressAndPortDependent, true, "elsewhere, but for those behind a symmetric"),
            (.dependent, .unknown, true, "as this machine is"), (.unknown, .unknown, nil, "name a second one"),
        ] as [(NATFindings.Mapping, NATFindings.Filtering, Bool?, String)])
    func direct(mapping: NATFindings.Mapping, filtering: NATFindings.Filtering, isPossible: Bool?, words: String) {
        var report = Self.online
        var findings = NATFindings()
        findings.mapping = mapping
        findings.filtering = filtering
        let address = TransportAddress(ip: IPAddress(192, 0, 2, 1), port: 1)
        findings.mapped = [.init(server: address, address: address)]
        report.nats = [.init(local: address.ip, findings: findings)]
        #expect(report.routes[1].isPossible == isPossible && report.routes[1].explanation.contains(words))
        findings.mapped = []
        report.nats = [.init(local: address.ip, findings: findings)]
        #expect(report.routes[1].isPossible == false && report.routes[1].explanation.contains("no UDP"))
    }

    @Test("Every failure has a word, a reason and an advice")
    func words() {
        let reasons: [StreamFailure] = [
            .timedOut, .refused, .unreachable("x"), .closedByPeer, .handshakeFailed("x"), .untrusted, .expired,
            .wrongName(expected: "x"), .noAuthorities, .idle, .failed("x"),
        ]
        var failures: [ConnectivityFailure] = []
        for transport in ConnectivityReport.Transport.allCases {
            failures += reasons.map { ConnectivityFailure($0, transport, port: 1, name: "x") }
            failures += [.noAnswer(transport, port: 1), .noSTUN(transport)]
        }
        failures += [
            ResolutionError.invalidName("x"), .notFound("x"), .noServer("x"), .timedOut("x"), .busy("x"), .cancelled,
        ].map { ConnectivityFailure($0) }
        failures += [300, 401, 420, 500].map { ConnectivityFailure(STUNError($0)) }
        let refusals: [TURNFailure.Reason] = [
            .unauthorized, .forbidden, .allocationMismatch, .addressFamily, .wrongCredentials, .unsupportedTransport,
            .quotaReached, .insufficientCapacity, .redirection, .refused, .serverError, .credentialsMissing, .challenge,
            .bidDown, .passwordAlgorithm, .integrity, .noAnswer, .malformed, .connectionLost,
        ]
        failures += refusals.map { ConnectivityFailure(TURNFailure($0), .udp, port: 1) }
        failures += [.noRoute(to: IPAddress(192, 0, 2, 1))]
        for failure in failures {
            #expect(failure.code.allSatisfy { $0.isLetter && $0.isASCII } && !failure.code.isEmpty)
            #expect(!failure.reason.isEmpty && failure.advice.hasSuffix("."), "\(failure)")
        }
    }

    @Test("A check without servers is over at once, and tells the addresses")
    func withoutServers() async throws {
        let report = await (try ConnectivityCheck(servers: [])).run()
        #expect(report.servers.isEmpty && report.nats.isEmpty && !report.addresses.isEmpty)
    }

    @Test("A server's URL that cannot be used is refused before anything is sent")
    func badURL() {
        let error = #expect(throws: RTCError.self) {
            try ConnectivityCheck(servers: [.init(url: "turn:user:hunter2@a")])
        }
        #expect(error?.code == .invalidArgument && error?.message.contains("hunter2") == false)
    }

    // MARK: Reports

    private static func address(_ text: String, isUsed: Bool) -> ConnectivityReport.LocalAddress {
        .init(interface: "eth0", kind: "wired", address: IPAddress(text) ?? IPAddress(v4: 0), isUsed: isUsed)
    }

    private static var online: ConnectivityReport {
        var report = ConnectivityReport()
        report.addresses = [address("192.0.2.1", isUsed: true)]
        return report
    }

    private static func server(
        _ url: String, _ checks: [(ConnectivityReport.Transport, Bool, String?)]
    ) throws -> ConnectivityReport.Server {
        let address = TransportAddress(ip: IPAddress(192, 0, 2, 9), port: 3478)
        let url = try ICEServerURL(url)
        return ConnectivityReport.Server(
            url: url,
            checks: checks.map { transport, isStated, code in
                ConnectivityReport.Check(
                    transport: transport, server: address, isStated: isStated,
                    relayed: url.scheme.isRelay && code == nil ? [address] : [],
                    failure: code.map { ConnectivityFailure($0, "reason", "advice") })
            })
    }
}
