import DuetShell
import Foundation
import RTC
import RTCTransport
import RTCWire

/// Prints a line of JSON for each step.
struct JSONDoctorDisplay: DoctorDisplay {
    func show(_ progress: ConnectivityCheck.Progress) {
        switch progress {
        case .addresses(let addresses): write(.event("addresses", ["addresses": addresses.map(\.json)]))
        case .lookingUp(let host): write(.event("lookingUp", ["host": host]))
        case .lookedUp(let host, .success(let addresses)):
            write(.event("lookedUp", ["host": host, "addresses": addresses.map { "\($0)" }]))
        case .lookedUp(let host, .failure(let failure)):
            write(.event("lookedUp", ["host": host, "failure": failure.json]))
        case .checking(let url, let transport, let address):
            write(.event("checking", ["url": "\(url)", "transport": transport.rawValue, "server": "\(address)"]))
        case .checked(let url, let check):
            write(.event("checked", ["url": "\(url)"] + check.members))
        case .discoveringNAT(let local): write(.event("discoveringNAT", ["local": "\(local)"]))
        case .discoveredNAT(let nat): write(.event("discoveredNAT", nat.members))
        }
    }

    func finish(_ report: ConnectivityReport) {
        let routes = report.routes.map { route in
            JSONValue.object([
                "kind": route.kind.rawValue, "isPossible": route.isPossible, "explanation": route.explanation,
            ])
        }
        write(
            .event(
                "report",
                [
                    "isHealthy": report.isHealthy, "addresses": report.addresses.map(\.json),
                    "nats": report.nats.map { JSONValue.object($0.members) }, "servers": report.servers.map(\.json),
                    "routes": routes,
                ]))
    }

    /// Written at once, so that scripts see the progress.
    private func write(_ value: JSONValue) {
        FileHandle.standardOutput.write(Data(value.line))
    }
}

extension ConnectivityReport.LocalAddress {
    var json: JSONValue {
        .object(["interface": interface, "kind": kind, "address": "\(address)", "isUsed": isUsed])
    }
}

extension ConnectivityFailure {
    var json: JSONValue {
        .object(["code": code, "reason": reason, "advice": advice])
    }
}

extension ConnectivityReport.Server {
    fileprivate var json: JSONValue {
        .object([
            "url": "\(url)", "isUsable": isUsable, "failure": lookupFailure?.json,
            "checks": checks.map { JSONValue.object($0.members) },
        ])
    }
}

extension ConnectivityReport.Check {
    fileprivate var members: JSONValue.Members {
        return [
            "transport": transport.rawValue, "server": "\(server)", "isStated": isStated, "isSuccess": isSuccess,
            "setupMilliseconds": setupTime?.milliseconds, "answerMilliseconds": answerTime?.milliseconds,
            "mapped": mapped.map { "\($0)" }, "relayed": relayed.map { "\($0)" },
            "redirectedTo": redirectedTo.map { "\($0)" }, "failure": failure?.json,
        ]
    }
}

extension ConnectivityReport.NAT {
    fileprivate var members: JSONValue.Members {
        let mapped = findings.mapped.map { mapped in
            JSONValue.object(["server": "\(mapped.server)", "address": "\(mapped.address)"])
        }
        return [
            "local": "\(local)", "kind": findings.kind.rawValue, "mapping": findings.mapping.rawValue,
            "filtering": findings.filtering.rawValue, "hairpins": findings.hairpins,
            "preservesPort": findings.preservesPort, "mapped": mapped, "silent": findings.silent.map { "\($0)" },
        ]
    }
}

extension TimeDelta {
    fileprivate var milliseconds: JSONValue { (seconds * 1_000).json(places: 1) }
}
