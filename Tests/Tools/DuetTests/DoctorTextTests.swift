import RTCTransport
import RTCWire
import Testing

@testable import RTC
@testable import duet

@Suite("What duet doctor prints")
struct DoctorTextTests {
    @Test("A report, from the first line to the last")
    func report() throws {
        #expect(DoctorText.addresses(try Self.report.addresses) + DoctorText.rest(of: try Self.report) == Self.expected)
    }

    @Test("A machine without any address")
    func nothing() {
        #expect(DoctorText.addresses([]) == ["Addresses", "  none"])
        #expect(DoctorText.rest(of: ConnectivityReport()).last == "This machine is on no network.")
    }

    private static var report: ConnectivityReport {
        get throws {
            var report = ConnectivityReport()
            report.addresses = [
                .init(interface: "lo", kind: "loopback", address: IPAddress(127, 0, 0, 1), isUsed: false),
                .init(interface: "eth0", kind: "wired", address: IPAddress(192, 168, 1, 2), isUsed: true),
                .init(interface: "docker0", kind: "wired", address: IPAddress(172, 17, 0, 1), isUsed: false),
            ]
            let server = TransportAddress(ip: IPAddress(192, 0, 2, 9), port: 3478)
            var findings = NATFindings()
            findings.mapping = .endpointIndependent
            findings.filtering = .addressAndPortDependent
            findings.hairpins = false
            findings.mapped = [.init(server: server, address: .init(ip: IPAddress(203, 0, 113, 1), port: 50_001))]
            report.nats = [.init(local: IPAddress(192, 168, 1, 2), findings: findings)]
            let relayed = TransportAddress(ip: server.ip, port: 49_200)
            report.servers = [
                .init(
                    url: try ICEServerURL("turn:turn.example"),
                    checks: [
                        .init(
                            transport: .udp, server: server, isStated: true, answerTime: .microseconds(24_400),
                            relayed: [relayed]),
                        .init(
                            transport: .tcp, server: server, isStated: false, setupTime: .microseconds(8_120),
                            answerTime: .milliseconds(20), relayed: [relayed]),
                        .init(
                            transport: .tls, server: .init(ip: server.ip, port: 5_349), isStated: false,
                            failure: ConnectivityFailure("refused", "nobody listens on TCP port 5349", "Start it.")),
                    ]),
                .init(
                    url: try ICEServerURL("turns:turn.example"),
                    checks: [
                        .init(
                            transport: .tls, server: .init(ip: server.ip, port: 5_349), isStated: true,
                            failure: ConnectivityFailure("refused", "nobody listens on TCP port 5349", "Start it."))
                    ]),
                .init(
                    url: try ICEServerURL("stun:nowhere.example"),
                    lookupFailure: ConnectivityFailure("notFound", "nowhere.example has no address", "Check it.")),
            ]
            return report
        }
    }

    private static let expected = [
        "Addresses",
        "  eth0     wired     192.168.1.2",
        "  docker0  wired     172.17.0.1   (not used for calls)",
        "",
        "NAT",
        "  192.168.1.2  NAT, port-restricted cone",
        "    seen as 203.0.113.1:50001",
        "    the same external address for all remote ends",
        "    lets in addresses and ports that have been sent to",
        "    does not connect hosts behind it by their external addresses",
        "",
        "Servers",
        "  turn:turn.example",
        "    UDP  192.0.2.9:3478  relays after 24 ms, at 192.0.2.9:49200",
        "    TCP  192.0.2.9:3478  connected in 8.1 ms, relays after 20 ms, at 192.0.2.9:49200   (not in the URL)",
        "    TLS  192.0.2.9:5349  not available: nobody listens on TCP port 5349",
        "  turns:turn.example",
        "    TLS  192.0.2.9:5349  failed: nobody listens on TCP port 5349",
        "         → Start it.",
        "  stun:nowhere.example",
        "    nowhere.example has no address",
        "    → Check it.",
        "",
        "What a call can use",
        "  nearby   yes  peers of the same network, over IPv4",
        "  direct   yes  peers elsewhere, but for those behind a symmetric NAT, for whom it may take a relay",
        "  relayed  yes  any peer, over UDP",
        "",
        "Not usable: turns:turn.example, stun:nowhere.example",
    ]
}
