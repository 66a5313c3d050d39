internal import NIOCore
internal import RTCCrypto
internal import RTCNetwork
internal import RTCTransport
internal import RTCWire

/// A running check. Used on its event loop, whose timer keeps it alive until the end.
final class ConnectivityRun {
    typealias Report = ConnectivityReport

    private let check: ConnectivityCheck
    private let loop: any EventLoop
    private let progress: (ConnectivityCheck.Progress) -> Void
    private var completion: ((Report) -> Void)?
    private var report = Report()
    /// The addresses that a connection would use, so that servers are tested the same way.
    private var usedAddresses: [IPAddress] = []
    private var limit: Scheduled<Void>?
    /// Whether only checks that were not asked for are left.
    private var onlyOptionalChecksLeft = false
    private static let patience = TimeAmount.milliseconds(1_500)

    private var lookupsLeft = 0
    private var found: [String: [IPAddress]] = [:]
    private var probes: [ProbeKey: Probe] = [:]
    private var discoveries: [Discovery] = []
    private var discoveriesLeft = 0

    /// Identifies a probe, so that two URLs of one server share it.
    private struct ProbeKey: Hashable {
        var transport: Report.Transport
        var server: TransportAddress
        var name: String
        var isRelay: Bool
        var credentials: TURNCredentials?
    }

    private struct Probe {
        /// `nil` where the NAT discovery provides the result.
        var running: ServerProbe?
        var isOver = false
        /// The servers in the report that get the result, and whether their URLs name this transport.
        var recipients: [(index: Int, isStated: Bool)] = []
    }

    init(
        _ check: ConnectivityCheck, on loop: any EventLoop, progress: @escaping (ConnectivityCheck.Progress) -> Void,
        completion: @escaping (Report) -> Void
    ) {
        self.check = check
        self.loop = loop
        self.progress = progress
        self.completion = completion
    }

    func start() {
        limit = loop.assumeIsolated().scheduleTask(in: TimeAmount(ConnectivityCheck.longestTime)) {
            self.giveUp()
        }
        let all = InterfaceTable.readAddresses()
        usedAddresses = HostAddressRules().select(from: all).map(\.ip)
        report.addresses = all.map {
            Report.LocalAddress(
                interface: $0.interface.name, kind: $0.interface.kind.rawValue, address: $0.ip,
                isUsed: usedAddresses.contains($0.ip))
        }
        progress(.addresses(report.addresses))
        report.servers = check.servers.map { Report.Server(url: $0.url) }

        var hosts: [String] = []
        for server in check.servers where !hosts.contains(server.url.host) { hosts.append(server.url.host) }
        lookupsLeft = hosts.count
        for host in hosts {
            progress(.lookingUp(host: host))
            NameResolver.resolve(host, multicast: MulticastDNSQuerier.ofMachine, on: loop) { self.lookedUp(host, $0) }
        }
        finishIfDone()
    }

    // MARK: Names

    private func lookedUp(_ host: String, _ result: Result<[IPAddress], ResolutionError>) {
        lookupsLeft -= 1
        let result = result.mapError { ConnectivityFailure($0) }
        progress(.lookedUp(host: host, result))
        switch result {
        case .success(let addresses):
            // One address per family: the others are meant to be equivalent.
            let chosen = [addresses.first(where: \.isIPv4), addresses.first(where: \.isIPv6)].compactMap { $0 }
            found[host] = chosen
            for index in report.servers.indices where check.servers[index].url.host == host {
                for ip in chosen { probe(check.servers[index], index, at: ip) }
            }
        case .failure(let failure):
            for index in report.servers.indices where check.servers[index].url.host == host {
                report.servers[index].lookupFailure = failure
            }
        }
        if lookupsLeft == 0 { discoverNATs() }
        finishIfDone()
    }

    // MARK: Servers

    private func probe(_ server: ConnectivityCheck.Server, _ index: Int, at ip: IPAddress) {
        let url = server.url
        for transport in Report.Transport.allCases {
            let isSecure = transport == .tls
            // The default port of the scheme if the URL is for the other kind of transport.
            let port = isSecure == url.scheme.isSecure ? url.port : isSecure ? 5349 : 3478
            let isStated =
                isSecure ? url.scheme.isSecure : !url.scheme.isSecure && url.transport.rawValue == transport.rawValue
            let key = ProbeKey(
                transport: transport, server: TransportAddress(ip: ip, port: port), name: url.host,
                isRelay: url.scheme.isRelay, credentials: url.scheme.isRelay ? server.credentials : nil)
            progress(.checking(url, transport, key.server))
            let isNew = probes[key] == nil
            probes[key, default: Probe()].recipients.append((index, isStated))
            guard isNew, key.isRelay || transport != .udp else { continue }
            let running = ServerProbe(
                transport, key.server, name: url.host, from: usedAddresses, trust: check.trust, relay: key.isRelay,
                credentials: key.credentials, on: loop)
            probes[key]?.running = running
            running.start { self.probed(key, $0) }
        }
    }

    private func probed(_ key: ProbeKey, _ outcome: ServerProbe.Outcome) {
        guard let probe = probes[key], !probe.isOver, completion != nil else { return }
        probes[key]?.isOver = true
        for (index, isStated) in probe.recipients {
            let check = Report.Check(
                transport: key.transport, server: key.server, isStated: isStated, setupTime: outcome.setupTime,
                answerTime: outcome.answerTime, mapped: outcome.mapped, relayed: outcome.relayed,
                redirectedTo: outcome.redirectedTo, failure: outcome.failure)
            report.servers[index].checks.append(check)
            progress(.checked(report.servers[index].url, check))
        }
        finishIfDone()
    }

    // MARK: NATs

    /// Starts a discovery for each local address from which servers are reached.
    private func discoverNATs() {
        var groups: [(local: IPAddress, servers: [TransportAddress])] = []
        var wanted: [TransportAddress] = []
        for server in check.servers where !server.url.scheme.isSecure {
            for ip in found[server.url.host] ?? [] { wanted.append(TransportAddress(ip: ip, port: server.url.port)) }
        }
        for server in wanted {
            guard let local = IPAddress.datagramSource(toward: server, among: usedAddresses) else {
                answered(server, .init(failure: .noRoute(to: server.ip)))
                continue
            }
            if let index = groups.firstIndex(where: { $0.local == local }) {
                groups[index].servers.append(server)
            } else {
                groups.append((local, [server]))
            }
        }
        for (local, servers) in groups {
            guard let discovery = Discovery(from: local, servers: servers, on: loop) else {
                for server in servers { answered(server, .init(failure: .noRoute(to: server.ip))) }
                continue
            }
            discoveriesLeft += 1
            discoveries.append(discovery)
            progress(.discoveringNAT(from: local))
            discovery.start { self.discovered($0, from: local) }
        }
        // Nothing else tests UDP for servers that only have TLS URLs.
        for (key, probe) in probes where key.transport == .udp && !key.isRelay && !probe.isOver {
            guard !groups.contains(where: { $0.servers.contains(key.server) }) else { continue }
            let running = ServerProbe(
                .udp, key.server, name: key.name, from: usedAddresses, trust: check.trust, relay: false,
                credentials: nil, on: loop)
            probes[key]?.running = running
            running.start { self.probed(key, $0) }
        }
    }

    private func discovered(_ event: NATDiscovery.Event, from local: IPAddress) {
        switch event {
        case .answered(let server, let mapped, let time):
            answered(server, .init(answerTime: time, mapped: mapped))
        case .refused(let server, let error):
            answered(server, .init(failure: ConnectivityFailure(error)))
        case .silent(let server): answered(server, .init(failure: .noAnswer(.udp, port: server.port)))
        case .finished(let findings):
            discoveriesLeft -= 1
            let nat = Report.NAT(local: local, findings: findings)
            report.nats.append(nat)
            progress(.discoveredNAT(nat))
            finishIfDone()
        }
    }

    private func answered(_ server: TransportAddress, _ outcome: ServerProbe.Outcome) {
        for key in probes.keys where key.transport == .udp && !key.isRelay && key.server == server {
            probed(key, outcome)
        }
    }

    // MARK: Closing

    private func finishIfDone() {
        guard lookupsLeft == 0, discoveriesLeft == 0, completion != nil else { return }
        let left = probes.values.filter { !$0.isOver }
        guard !left.isEmpty else { return finish() }
        // Results that no URL asks for are useful, but not worth a long wait.
        guard !onlyOptionalChecksLeft, left.allSatisfy({ $0.recipients.allSatisfy { !$0.isStated } }) else { return }
        onlyOptionalChecksLeft = true
        limit?.cancel()
        limit = loop.assumeIsolated().scheduleTask(in: Self.patience) { self.giveUp() }
    }

    /// Ends the checks that hang despite their own timeouts.
    private func giveUp() {
        for (key, probe) in probes where !probe.isOver {
            probed(key, .init(failure: .noAnswer(key.transport, port: key.server.port)))
        }
        finish()
    }

    private func finish() {
        guard let completion else { return }
        self.completion = nil
        limit?.cancel()
        limit = nil
        for index in report.servers.indices {
            let order = Report.Transport.allCases
            report.servers[index].checks.sort {
                let places = [$0, $1].map { order.firstIndex(of: $0.transport) ?? 0 }
                return places[0] != places[1] ? places[0] < places[1] : $0.server.ip.isIPv4 && !$1.server.ip.isIPv4
            }
        }
        report.explainFailures()
        report.nats.sort { $0.local.isIPv4 && !$1.local.isIPv4 }
        completion(report)
    }
}
