import DuetShell
import Foundation
import RTC
import RTCTransport
import RTCWire

/// Prints a line of JSON for each step.
struct JSONDoctorDisplay: DoctorDisplay {
    func show(_ progress: ConnectivityCheck.Progress) {
        switch progress {
        case .addresses(let addresses): write(.event("addresses", [.init("addresses", .array(addresses.map(\.json)))]))
        case .lookingUp(let host): write(.event("lookingUp", [.init("host", .string(host))]))
        case .lookedUp(let host, .success(let addresses)):
            write(
                .event(
                    "lookedUp",
                    [.init("host", .string(host)), .init("addresses", .array(addresses.map { .string("\($0)") }))]))
        case .lookedUp(let host, .failure(let failure)):
            write(.event("lookedUp", [.init("host", .string(host)), .init("failure", failure.json)]))
        case .checking(let url, let transport, let address):
            write(
                .event(
                    "checking",
                    [
                        .init("url", .string("\(url)")), .init("transport", .string(transport.rawValue)),
                        .init("server", .string("\(address)")),
                    ]))
        case .checked(let url, let check):
            write(.event("checked", [.init("url", .string("\(url)"))] + check.members))
        case .discoveringNAT(let local): write(.event("discoveringNAT", [.init("local", .string("\(local)"))]))
        case .discoveredNAT(let nat): write(.event("discoveredNAT", nat.members))
        }
    }

    func finish(_ report: ConnectivityReport) {
        let routes = report.routes.map { route in
            JSONValue.object([
                .init("kind", .string(route.kind.rawValue)),
                .init("isPossible", route.isPossible.map { .bool($0) } ?? .null),
                .init("explanation", .string(route.explanation)),
            ])
        }
        write(
            .event(
                "report",
                [
                    .init("isHealthy", .bool(report.isHealthy)),
                    .init("addresses", .array(report.addresses.map(\.json))),
                    .init("nats", .array(report.nats.map { .object($0.members) })),
                    .init("servers", .array(report.servers.map(\.json))), .init("routes", .array(routes)),
                ]))
    }

    /// Written at once, so that scripts see the progress.
    private func write(_ value: JSONValue) {
        FileHandle.standardOutput.write(Data(value.line))
    }
}

extension ConnectivityReport.LocalAddress {
    var json: JSONValue {
        .object([
            .init("interface", .string(interface)), .init("kind", .string(kind)),
            .init("address", .string("\(address)")),
            .init("isUsed", .bool(isUsed)),
        ])
    }
}

extension ConnectivityFailure {
    var json: JSONValue {
        .object([
            .init("code", .string(code)), .init("reason", .string(reason)), .init("advice", .string(advice)),
        ])
    }
}

extension ConnectivityReport.Server {
    fileprivate var json: JSONValue {
        .object([
            .init("url", .string("\(url)")), .init("isUsable", .bool(isUsable)),
            .init("failure", lookupFailure?.json ?? .null),
            .init("checks", .array(checks.map { .object($0.members) })),
        ])
    }
}

extension ConnectivityReport.Check {
    fileprivate var members: [JSONValue.Member] {
        func milliseconds(_ time: TimeDelta?) -> JSONValue {
            time.map { .decimal($0.seconds * 1_000, places: 1) } ?? .null
        }
        return [
            .init("transport", .string(transport.rawValue)), .init("server", .string("\(server)")),
            .init("isStated", .bool(isStated)), .init("isSuccess", .bool(isSuccess)),
            .init("setupMilliseconds", milliseconds(setupTime)), .init("answerMilliseconds", milliseconds(answerTime)),
            .init("mapped", mapped.map { .string("\($0)") } ?? .null),
            .init("relayed", .array(relayed.map { .string("\($0)") })),
            .init("redirectedTo", redirectedTo.map { .string("\($0)") } ?? .null),
            .init("failure", failure?.json ?? .null),
        ]
    }
}

extension ConnectivityReport.NAT {
    fileprivate var members: [JSONValue.Member] {
        let mapped = findings.mapped.map { mapped in
            JSONValue.object([
                .init("server", .string("\(mapped.server)")), .init("address", .string("\(mapped.address)")),
            ])
        }
        return [
            .init("local", .string("\(local)")), .init("kind", .string(findings.kind.rawValue)),
            .init("mapping", .string(findings.mapping.rawValue)),
            .init("filtering", .string(findings.filtering.rawValue)),
            .init("hairpins", findings.hairpins.map { .bool($0) } ?? .null),
            .init("preservesPort", findings.preservesPort.map { .bool($0) } ?? .null), .init("mapped", .array(mapped)),
            .init("silent", .array(findings.silent.map { .string("\($0)") })),
        ]
    }
}
