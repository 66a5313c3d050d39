import ArgumentParser
import DuetShell
import Foundation
import RTC
import RTCPeer
import RTCTransport
import RTCWire

/// The options that `duet peer offer` and `duet peer answer` share.
struct PeerOptions: ParsableArguments {
    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp("Open a data channel with this label. May be repeated.", valueName: "label"))
    var channels: [String] = []

    @Flag(help: "Channels opened here may deliver out of order.")
    var unordered = false

    @Option(
        help: ArgumentHelp("Channels opened here retransmit a message at most this often.", valueName: "n")
    )
    var maxRetransmits: UInt16?

    @Flag(help: "Send each message back, text as text and binary as binary.")
    var echo = false

    @Option(
        help: ArgumentHelp("Use only this local address.", valueName: "address"),
        transform: PeerOptions.address)
    var bind: IPAddress?

    @Option(
        help: ArgumentHelp("Use only local ports of this range, such as 50000-50100.", valueName: "a-b"),
        transform: PortRangeOption.parse)
    var portRange: ClosedRange<UInt16>?

    @Option(
        name: .customLong("ice-server"),
        help: ArgumentHelp(
            "A STUN server, such as stun:stun.example.org:3478, or a TURN server with its credentials. May be repeated.",
            valueName: "url[,username,credential]"),
        transform: PeerConnection.ICEServer.init(argument:))
    var iceServers: [PeerConnection.ICEServer] = []

    @Option(help: "Which candidates may be used: all of them, or relayed ones alone.")
    var policy: TransportPolicy = .all

    @Option(
        help: ArgumentHelp(
            "Trust the authorities of this file in PEM, and not the system's, for turns: servers.", valueName: "file"))
    var ca: String?

    @Option(help: "Candidates over TCP: connect to peers that listen, also listen, or none.")
    var tcp: TCPOption = .connect

    @Option(help: ArgumentHelp("Write the decrypted packets here, for Wireshark.", valueName: "file.pcap"))
    var dump: String?

    @Option(
        help: ArgumentHelp(
            "Append statistics of sending (docs/trace.md): numbers only.", valueName: "file"))
    var trace: String?

    @Flag(help: "Print statistics once a second, and the quality of the media when it changes.")
    var stats = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Measure the throughput: send messages of SIZE bytes for this long, and print one “bench” event.",
            valueName: "size seconds"))
    var bench: [String] = []

    @Flag(help: "With --bench, at both ends: one message per call instead of batches.")
    var oneByOne = false

    @Flag(help: "Print descriptions with their candidates inside, after gathering (3 s at most).")
    var noTrickle = false

    @Option(help: "The newest DTLS version that may be negotiated.")
    var dtlsMax: DTLSMaximum = .v13

    @Flag(help: "Offer loopback addresses too.")
    var loopback = false

    @OptionGroup(title: "Audio and video") var media: MediaOptions

    @OptionGroup var logging: LogOptions

    func validate() throws {
        try PeerConnection.ICEServer.check(iceServers)
        _ = try benchPlan
    }

    /// The measurement that `--bench` requests.
    var benchPlan: BenchPlan? {
        get throws {
            if bench.isEmpty { return nil }
            guard bench.count == 2, let size = Int(bench[0]), let seconds = Double(bench[1]),
                (1...BenchPlan.maximumSize).contains(size), (0.001...86_400).contains(seconds)
            else {
                throw ValidationError(
                    "--bench takes two numbers: bytes per message, 1 to \(BenchPlan.maximumSize), and seconds")
            }
            return BenchPlan(size: size, seconds: seconds, isOneByOne: oneByOne)
        }
    }

    /// The option that this version or this machine does not support, in one line; `nil` if there is none.
    var refusal: String? {
        if let ca, authorities?.contains("BEGIN CERTIFICATE") != true {
            return "--ca \(ca): this is no file with certificates in PEM"
        }
        if policy == .relay, !iceServers.contains(where: \.isRelay) {
            return "--policy relay: no TURN server is given; add --ice-server turn:…"
        }
        if let bind, !LocalAddress.isOurs(bind) { return "--bind \(bind): this is not an address of this machine" }
        return nil
    }

    /// Runs one end of a connection until it is closed.
    ///
    /// - Throws: `ExitCode`, always: 0 if the peers had been connected, 1 if not, 2 if an option cannot be satisfied.
    func runPeer(as role: PeerRole) async throws {
        logging.bootstrap()
        if let refusal { throw Refusal.exit(refusal) }
        let plan: MediaPlan
        do throws(Refusal) { plan = try media.plan() } catch { throw Refusal.exit(error.description) }
        let connection: PeerConnection
        do {
            connection = try PeerConnection(configuration: configuration(for: role, media: plan))
        } catch {
            throw Refusal.exit(error.message)
        }
        let settings = PeerSession.Settings(
            role: role, channels: channels, channelOptions: channelOptions, echoes: echo, trickles: !noTrickle,
            printsStatistics: stats, bench: try benchPlan, measuresOneByOne: oneByOne, media: plan)
        let terminal = JSONTerminal()
        let session = PeerSession(connection, settings: settings, output: terminal.output)
        throw ExitCode(await session.run(terminal.inputs))
    }

    private var authorities: String? { ca.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } }

    private func configuration(for role: PeerRole, media: MediaPlan) -> PeerConnection.Configuration {
        var configuration = PeerConnection.Configuration()
        configuration.negotiation = .perfect(isPolite: role == .answer)
        configuration.waitsForOffer = role == .answer
        configuration.media = media.configuration
        configuration.iceServers = iceServers
        configuration.iceTransportPolicy = policy == .relay ? .relay : .all
        if let authorities { configuration.serverTrust = .authorities(pem: authorities) }
        configuration.network.tcp = tcp.policy
        configuration.dtlsVersions = .v12...dtlsMax.version
        configuration.network.bindAddress = bind
        configuration.network.portRange = portRange
        configuration.network.includesLoopback = loopback
        configuration.dumpPath = dump
        configuration.tracePath = trace
        return configuration
    }

    private var channelOptions: DataChannelOptions {
        var options = DataChannelOptions()
        options.isOrdered = !unordered
        options.maxRetransmits = maxRetransmits
        return options
    }

    private static func address(_ text: String) throws -> IPAddress {
        guard let address = IPAddress(text) else { throw ValidationError("“\(text)” is not an IPv4 or IPv6 address") }
        return address
    }
}

/// The side of a peer in the first exchange of descriptions.
enum PeerRole: String {
    case offer, answer
}

/// `--policy`: W3C RTCIceTransportPolicy.
enum TransportPolicy: String, ExpressibleByArgument, CaseIterable {
    case all, relay
}

/// `--tcp`: candidates for when UDP is blocked (RFC 6544).
enum TCPOption: String, ExpressibleByArgument, CaseIterable {
    case none, connect, listen

    var policy: PeerConnection.TCPPolicy {
        switch self {
        case .none: .none
        case .connect: .connect
        case .listen: .connectAndListen
        }
    }
}

/// `--dtls-max`
enum DTLSMaximum: String, ExpressibleByArgument, CaseIterable {
    case v12 = "1.2"
    case v13 = "1.3"

    var version: DTLSVersion { self == .v12 ? .v12 : .v13 }
}
