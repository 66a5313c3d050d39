internal import RTCNetwork
internal import RTCTransport
internal import RTCWire

// Descriptions of failures, with advice for each.

extension ConnectivityFailure {
    static func noAnswer(_ transport: ConnectivityReport.Transport, port: UInt16) -> ConnectivityFailure {
        switch transport {
        case .udp:
            ConnectivityFailure(
                "noAnswer", "nothing answers over UDP",
                "Check that the server runs, and that no firewall keeps UDP port \(port) from it.")
        case .tcp, .tls:
            ConnectivityFailure(
                "noAnswer", "the connection is there, but nothing answers on it",
                "Check that what listens on port \(port) is a STUN or TURN server.")
        }
    }

    static func noRoute(to ip: IPAddress) -> ConnectivityFailure {
        ConnectivityFailure(
            "noWay", "this machine has no way to \(ip.isIPv4 ? "IPv4" : "IPv6") addresses such as this",
            "Check the network's addresses and its gateway.")
    }

    static func noSTUN(_ transport: ConnectivityReport.Transport) -> ConnectivityFailure {
        ConnectivityFailure(
            "noSTUN", "what answers does not speak STUN",
            transport == .tcp
                ? "Check the port; where it expects TLS, write “turns:” or “stuns:”."
                : "Check the port, and that the server speaks STUN there.")
    }

    init(_ error: ResolutionError) {
        switch error {
        case .invalidName(let name): self.init("invalidName", "“\(name)” is no host name", "Correct the URL.")
        case .notFound(let name):
            self.init("notFound", "\(name) has no address", "Check the spelling of the name, and its entry in DNS.")
        case .noServer, .timedOut, .busy, .cancelled:
            self.init(
                "noNameServer", "no name server answers",
                "Check the network and its name server; meanwhile write the server's address in place of its name.")
        }
    }

    /// Creates the failure for an error response to a Binding request.
    init(_ error: STUNError) {
        switch error.code {
        case 401:
            self.init(
                "credentialsMissing", "the server answers nobody without credentials (401)",
                "Use it as a TURN server: “turn:” with username and credential.")
        case 300:
            self.init(
                "redirected", "the server sends its clients elsewhere (300)", "Write the URL of the other server.")
        default:
            self.init(
                "refused", "the server refuses to answer (\(error.code))", "Look into the server's log for the reason.")
        }
    }

    init(
        _ failure: StreamFailure, _ transport: ConnectivityReport.Transport, port: UInt16, name: String
    ) {
        let service = transport == .tls ? "TLS" : "TCP"
        switch failure {
        case .timedOut:
            self.init(
                "noAnswer", "nothing answers",
                "Check that the server listens for \(service) on port \(port), and that no firewall is in between.")
        case .refused:
            self.init(
                "refused", "nobody listens on TCP port \(port)",
                "Have the server listen for \(service) on that port, or write the port where it does.")
        case .unreachable(let words):
            self.init(
                "noWay", "there is no way there (\(words))", "Check the server's address, and this machine's network.")
        case .closedByPeer:
            self.init(
                "closed", "the server closed the connection",
                transport == .tls
                    ? "Check that port \(port) is the server's port for TLS, and that it has a certificate."
                    : "Check that what listens on port \(port) is a STUN or TURN server.")
        case .handshakeFailed(let words):
            self.init(
                "noTLS", "TLS failed (\(words))",
                "Check that port \(port) is the server's port for TLS: 5349 as a rule, and seldom 3478.")
        case .untrusted:
            self.init(
                "untrusted", "its certificate is signed by nobody trusted here",
                "Give the server a certificate of a public authority with its whole chain, or trust its own (--ca FILE)."
            )
        case .expired:
            self.init(
                "expired", "its certificate has expired, or is not valid yet",
                "Renew the server's certificate; if it is new, set this machine's clock.")
        case .wrongName(let expected):
            self.init(
                "wrongName", "its certificate is not for \(expected)",
                "Write the name that the certificate has into the URL, or get one for \(expected).")
        case .noAuthorities:
            self.init(
                "noAuthorities", "there are no authorities to trust",
                "Install the system's certificates (ca-certificates), or name a file that has some (--ca FILE).")
        case .idle, .failed:
            self.init("failed", "\(failure)", "Look into the server's log for the reason.")
        }
    }

    init(_ failure: TURNFailure, _ transport: ConnectivityReport.Transport, port: UInt16) {
        let number = failure.code.map { " (\($0))" } ?? ""
        switch failure.reason {
        case .unauthorized, .integrity:
            self.init(
                "credentials", "the server refuses username or credential\(number)",
                "Check both; credentials of the form “time:user” expire, and need a secret that the server shares.")
        case .credentialsMissing:
            self.init(
                "credentialsMissing", "the server relays for nobody without credentials\(number)",
                "Write --ice-server URL,USERNAME,CREDENTIAL.")
        case .quotaReached:
            self.init(
                "quota", "this user has as many relays as the server allows\(number)",
                "Wait for old ones to expire (10 minutes), or raise the server's user-quota.")
        case .insufficientCapacity:
            self.init(
                "capacity", "the server has no capacity left\(number)",
                "Raise its total-quota or its range of relay ports, or add a server.")
        case .forbidden:
            self.init("forbidden", "the server does not allow it\(number)", "Ask the server's administrator.")
        case .noAnswer: self = .noAnswer(transport, port: port)
        case .connectionLost:
            self.init(
                "closed", "the server closed the connection", "Look into the server's log for the reason.")
        case .malformed, .challenge:
            self.init(
                "noTURN", "its answers make no sense\(number)",
                "Check that it is a TURN server, and not one for STUN alone.")
        default:
            self.init("relay", "\(failure)", "Look into the server's log for the reason.")
        }
    }
}

extension ConnectivityReport {
    /// Adds explanations to failures that follow from others.
    mutating func explainFailures() {
        for index in servers.indices {
            let reaches = servers[index].checks.contains { $0.transport != .udp && $0.isSuccess }
            for number in servers[index].checks.indices where reaches {
                let check = servers[index].checks[number]
                guard check.transport == .udp, check.failure?.code == "noAnswer" else { continue }
                let scheme = servers[index].url.scheme.isRelay ? "turn" : "stun"
                servers[index].checks[number].failure = ConnectivityFailure(
                    "udpBlocked", "nothing answers over UDP, while another way is open",
                    "A firewall keeps UDP port \(check.server.port) from the server: open it"
                        + (scheme == "turn" ? ", or use “?transport=tcp” or “turns:”." : "."))
            }
        }
    }

    /// The paths that a call could use, from best to worst.
    public var routes: [Route] {
        [localRoute, directRoute, relayRoute]
    }

    private var localRoute: Route {
        let used = addresses.filter { $0.isUsed && !$0.address.isLoopback }
        let families = [
            used.contains { $0.address.isIPv4 } ? "IPv4" : nil, used.contains { $0.address.isIPv6 } ? "IPv6" : nil,
        ]
        .compactMap { $0 }
        return Route(
            kind: .local, isPossible: !used.isEmpty,
            explanation: used.isEmpty
                ? "this machine has no address but its own loopback: connect it to a network"
                : "peers of the same network, over \(families.joined(separator: " and "))")
    }

    private var directRoute: Route {
        let kinds = nats.map(\.findings.kind).filter { $0 != .unknown }
        guard !kinds.isEmpty else {
            let isAsked = !nats.isEmpty
            return Route(
                kind: .direct, isPossible: nil,
                explanation: isAsked
                    ? "one server without a second address does not tell the kind of NAT: name a second one"
                    : "no server has been asked over UDP: name one with --ice-server stun:HOST")
        }
        let open = kinds.filter { $0 != .blocked }
        guard !open.isEmpty else {
            return Route(
                kind: .direct, isPossible: false,
                explanation: "no UDP gets out: peers elsewhere are reached by a relay over TCP or TLS alone")
        }
        guard open.contains(where: { $0 != .symmetric }) else {
            return Route(
                kind: .direct, isPossible: true,
                explanation: "peers without a NAT, or with one that lets in whomever its owner has addressed; "
                    + "not those behind a symmetric or port-restricted one, as this machine is: for these it takes a relay"
            )
        }
        // The port of a symmetric NAT cannot be predicted, so the other peer must not filter by port.
        let isOpen = open.contains { [.none, .fullCone, .addressRestricted].contains($0) }
        return Route(
            kind: .direct, isPossible: true,
            explanation: isOpen
                ? "peers elsewhere, whatever NAT they are behind"
                : "peers elsewhere, but for those behind a symmetric NAT, for whom it may take a relay")
    }

    private var relayRoute: Route {
        let relays = servers.filter(\.url.scheme.isRelay)
        guard !relays.isEmpty else {
            return Route(
                kind: .relay, isPossible: false,
                explanation:
                    "no TURN server is named: some peers cannot be reached without (--ice-server turn:HOST,USER,SECRET)"
            )
        }
        let transports = Transport.allCases.filter { transport in
            relays.contains { $0.checks.contains { $0.transport == transport && $0.isStated && !$0.relayed.isEmpty } }
        }
        guard !transports.isEmpty else {
            return Route(
                kind: .relay, isPossible: false, explanation: "no TURN server relays for us as its URL says: see above")
        }
        return Route(
            kind: .relay, isPossible: true,
            explanation: "any peer, over \(transports.map { $0.rawValue.uppercased() }.joined(separator: ", "))")
    }
}
