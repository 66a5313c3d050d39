import DuetShell
import Foundation
import RTC
import RTCTransport
import RTCWire
import Synchronization

/// Prints lines for a person. On a terminal, the last line shows the current step.
final class TextDoctorDisplay: DoctorDisplay {
    private struct State {
        /// The pending steps, oldest first.
        var waiting: [String] = []
        var isProgressShown = false
    }

    private let state = Mutex(State())
    private let showsProgress =
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    func show(_ progress: ConnectivityCheck.Progress) {
        switch progress {
        case .addresses(let addresses): print(DoctorText.addresses(addresses))
        case .lookingUp(let host): wait("looking up \(host)")
        case .lookedUp(let host, _): done("looking up \(host)")
        case .checking(let url, let transport, let server): wait(Self.asking(url, transport, server))
        case .checked(let url, let check): done(Self.asking(url, check.transport, check.server))
        case .discoveringNAT(let local): wait("finding the kind of NAT from \(local)")
        case .discoveredNAT(let nat): done("finding the kind of NAT from \(nat.local)")
        }
    }

    func finish(_ report: ConnectivityReport) {
        state.withLock { $0.waiting = [] }
        clear()
        print(DoctorText.rest(of: report))
    }

    private static func asking(
        _ url: ICEServerURL, _ transport: ConnectivityReport.Transport, _ server: TransportAddress
    ) -> String {
        "asking \(url.host) over \(transport.rawValue.uppercased())"
    }

    private func wait(_ what: String) {
        state.withLock { $0.waiting.append(what) }
        update()
    }

    private func done(_ what: String) {
        state.withLock { state in
            if let index = state.waiting.firstIndex(of: what) { state.waiting.remove(at: index) }
        }
        update()
    }

    private func update() {
        guard showsProgress else { return }
        let line = state.withLock { state -> String in
            state.isProgressShown = true
            guard let first = state.waiting.first else { return "" }
            return state.waiting.count > 1 ? "\(first), and \(state.waiting.count - 1) more …" : "\(first) …"
        }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(line.prefix(76))".utf8))
    }

    private func clear() {
        let isShown = state.withLock { state in
            defer { state.isProgressShown = false }
            return state.isProgressShown
        }
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    }

    private func print(_ lines: [String]) {
        clear()
        FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8))
    }
}

/// The text of a report.
enum DoctorText {
    static func addresses(_ addresses: [ConnectivityReport.LocalAddress]) -> [String] {
        let shown = addresses.filter(\.isUsed)
        let others = addresses.filter { !$0.isUsed && !$0.address.isLoopback }
        let width = addresses.map(\.interface.count).max() ?? 0
        func line(_ address: ConnectivityReport.LocalAddress, _ remark: String) -> String {
            "  \(address.interface.padded(width))  \(address.kind.padded(8))  \(address.address)\(remark)"
        }
        if shown.isEmpty && others.isEmpty { return ["Addresses", "  none"] }
        return ["Addresses"] + shown.map { line($0, "") } + others.map { line($0, "   (not used for calls)") }
    }

    static func rest(of report: ConnectivityReport) -> [String] {
        var lines: [String] = []
        if !report.nats.isEmpty { lines += ["", "NAT"] + report.nats.flatMap(nat) }
        if !report.servers.isEmpty { lines += ["", "Servers"] + report.servers.flatMap(server) }
        lines += ["", "What a call can use"] + report.routes.map(route)
        let bad = report.servers.filter { !$0.isUsable }
        lines.append("")
        if report.isHealthy {
            lines.append(report.servers.isEmpty ? "Nothing is wrong. Name servers to know more." : "All is well.")
        } else if bad.isEmpty {
            lines.append("This machine is on no network.")
        } else {
            lines.append("Not usable: \(bad.map { "\($0.url)" }.joined(separator: ", "))")
        }
        return lines
    }

    private static func nat(_ nat: ConnectivityReport.NAT) -> [String] {
        let findings = nat.findings
        var lines = ["  \(nat.local)  \(name(of: findings.kind))"]
        let seen = findings.mapped.map(\.address)
        for address in seen.enumerated().filter({ seen.firstIndex(of: $1) == $0 }).map(\.element) {
            lines.append("    seen as \(address)")
        }
        switch findings.mapping {
        case .endpointIndependent: lines.append("    the same external address for all remote ends")
        case .addressDependent: lines.append("    another external address for each remote address")
        case .addressAndPortDependent: lines.append("    another external address for each remote address and port")
        case .dependent: lines.append("    different servers see different external addresses")
        case .untranslated, .unknown: break
        }
        switch findings.filtering {
        case .endpointIndependent: lines.append("    lets in everybody")
        case .addressDependent: lines.append("    lets in addresses that have been sent to")
        case .addressAndPortDependent: lines.append("    lets in addresses and ports that have been sent to")
        case .unknown: break
        }
        if let hairpins = findings.hairpins {
            lines.append(
                "    \(hairpins ? "connects" : "does not connect") hosts behind it by their external addresses")
        }
        return lines
    }

    private static func name(of kind: NATFindings.Kind) -> String {
        switch kind {
        case .none: "no NAT"
        case .firewall: "no NAT, but a firewall"
        case .fullCone: "NAT, full cone"
        case .addressRestricted: "NAT, address-restricted cone"
        case .portRestricted: "NAT, port-restricted cone"
        case .symmetric: "NAT, symmetric"
        case .cone: "NAT, a cone; who is let in is not known"
        case .blocked: "no server answers over UDP"
        case .unknown: "NAT of a kind that is not known"
        }
    }

    private static func server(_ server: ConnectivityReport.Server) -> [String] {
        var lines = ["  \(server.url)"]
        if let failure = server.lookupFailure { lines += trouble(failure, indent: "    ", with: failure.reason) }
        let width = server.checks.map { "\($0.server)".count }.max() ?? 0
        for check in server.checks {
            let head = "    \(check.transport.rawValue.uppercased().padded(4)) \("\(check.server)".padded(width))  "
            if let failure = check.failure {
                if check.isStated {
                    lines += trouble(
                        failure, indent: "         ", with: head + "failed: " + failure.reason, isHead: true)
                } else {
                    // Not requested by the URL: information, not a problem.
                    lines.append(head + "not available: " + failure.reason)
                }
                continue
            }
            lines.append(head + success(check) + (check.isStated ? "" : "   (not in the URL)"))
        }
        return lines
    }

    private static func success(_ check: ConnectivityReport.Check) -> String {
        var parts: [String] = []
        if let setup = check.setupTime { parts.append("connected in \(time(setup))") }
        if let other = check.redirectedTo { parts.append("sends its clients to \(other)") }
        if let answer = check.answerTime {
            parts.append((check.relayed.isEmpty ? "answers in " : "relays after ") + time(answer))
        }
        let addresses = check.relayed.map { "\($0)" }.joined(separator: " and ")
        return parts.joined(separator: ", ") + (addresses.isEmpty ? "" : ", at \(addresses)")
    }

    private static func trouble(
        _ failure: ConnectivityFailure, indent: String, with text: String, isHead: Bool = false
    ) -> [String] {
        [isHead ? text : indent + text, indent + "→ " + failure.advice]
    }

    private static func route(_ route: ConnectivityReport.Route) -> String {
        let name =
            switch route.kind {
            case .local: "nearby"
            case .direct: "direct"
            case .relay: "relayed"
            }
        let answer = route.isPossible.map { $0 ? "yes" : "no" } ?? "?"
        return "  \(name.padded(8)) \(answer.padded(4)) \(route.explanation)"
    }

    private static func time(_ time: TimeDelta) -> String {
        let milliseconds = time.seconds * 1_000
        return milliseconds < 10 ? String(format: "%.1f ms", milliseconds) : String(format: "%.0f ms", milliseconds)
    }
}
