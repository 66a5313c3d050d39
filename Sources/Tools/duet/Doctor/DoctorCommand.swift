import ArgumentParser
import DuetShell
import Foundation
import RTC

/// `duet doctor`: what a call could use on this network.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what a call could use on this network, and what is wrong.",
        discussion: """
            Lists the addresses of this machine, checks each server over UDP, TCP and TLS, discovers the type of NAT, and \
            says for each failure what to do. It takes a few seconds, half a minute at most.

            Examples:
              duet doctor
              duet doctor --ice-server stun:stun.example.org --ice-server stun:stun.example.net
              duet doctor --ice-server turn:turn.example.org,alice,secret --ice-server turns:turn.example.org,alice,secret

            The type of NAT needs a STUN server with two addresses (RFC 5780), or two servers. A server is tried over every \
            transport; that of its URL decides the exit status.

            The exit status is 0 if this machine is on a network and every server can be used, 1 if not, and 2 if an option \
            cannot be satisfied.
            """)

    @Option(
        name: .customLong("ice-server"),
        help: ArgumentHelp(
            "A STUN or TURN server. May be repeated.", valueName: "url[,username,credential]"),
        transform: PeerConnection.ICEServer.init(argument:))
    var iceServers: [PeerConnection.ICEServer] = []

    @Option(
        help: ArgumentHelp(
            "Trust the authorities of this file in PEM, and not the system's, for turns: and stuns:.", valueName: "file"
        ))
    var ca: String?

    @Flag(help: "Print JSON: a line for each step, and a “report” with everything at the end.")
    var json = false

    @OptionGroup var logging: LogOptions

    func validate() throws {
        try PeerConnection.ICEServer.check(iceServers)
    }

    func run() async throws {
        logging.bootstrap()
        let check = try makeCheck()
        let display: any DoctorDisplay = json ? JSONDoctorDisplay() : TextDoctorDisplay()
        let report = await check.run { display.show($0) }
        display.finish(report)
        throw ExitCode(report.isHealthy ? 0 : 1)
    }

    private func makeCheck() throws -> ConnectivityCheck {
        var trust = ServerTrust.system
        if let ca {
            guard let pem = try? String(contentsOfFile: ca, encoding: .utf8), pem.contains("BEGIN CERTIFICATE") else {
                throw Refusal.exit("--ca \(ca): this is no file with certificates in PEM")
            }
            trust = .authorities(pem: pem)
        }
        do {
            return try ConnectivityCheck(servers: iceServers, trust: trust)
        } catch {
            throw Refusal.exit(error.message)
        }
    }
}

/// Shows a check to a person or to a script.
protocol DoctorDisplay: Sendable {
    /// Called on any thread, one call at a time.
    func show(_ progress: ConnectivityCheck.Progress)
    func finish(_ report: ConnectivityReport)
}
