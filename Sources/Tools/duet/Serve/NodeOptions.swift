import ArgumentParser
import DuetShell
import Foundation
import Logging
import NATS
import RTCSignalingNATS

/// `--nats`: several servers that share their clients.
struct NodeOptions: ParsableArguments {
    @Option(
        name: .customLong("nats"),
        help: ArgumentHelp(
            """
            Share sessions and calls with other servers over NATS, which has JetStream: a client may connect to any of them. \
            May be given several times, for the servers of one cluster, and in DUET_NATS with commas between.
            """, valueName: "url"))
    var servers: [String] = []

    @Option(
        "nats-name", value: "name",
        "The name that servers which share their clients have in common, “duet” if none is given.")
    var name: String?

    @Option(
        "nats-replicas", value: "number",
        "How many servers of NATS's cluster keep what is shared; 3 survives the loss of one.")
    var replicas: Int?

    @Option(
        "nats-credentials-file", value: "file", "A file with a token for NATS, or with a line “user:password”.")
    var credentialsFile: String?

    @Option(
        "nats-authority", value: "file|system",
        "Use TLS, and trust the certificates in this file, in PEM; “system” for the system's.")
    var authority: String?

    /// Whether the options can be used together, so far as that can be told without a network.
    func validate() throws {
        guard servers.isEmpty else { return }
        for (option, value) in [
            ("--nats-name", name), ("--nats-replicas", replicas.map { "\($0)" }),
            ("--nats-credentials-file", credentialsFile), ("--nats-authority", authority),
        ] where value != nil && (ProcessInfo.processInfo.environment["DUET_NATS"] ?? "").isEmpty {
            throw ValidationError("\(option) needs --nats, a server of NATS")
        }
    }

    /// Opens what the servers share.
    ///
    /// - Returns: `nil` if this server shares nothing.
    /// - Throws: A ``Refusal`` if NATS cannot be reached, or does not let this server in.
    func open(_ environment: [String: String]) async throws(Refusal) -> NATSExchangeLog? {
        let inEnvironment = (environment["DUET_NATS"] ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        let servers = servers.isEmpty ? inEnvironment : servers
        guard !servers.isEmpty else { return nil }
        var shared = NATSExchangeLog.Configuration()
        shared.name = name ?? environment.value(of: "DUET_NATS_NAME") ?? shared.name
        shared.replicas = try replicas(environment)
        let credentials = try credentials(environment)
        do {
            var configuration = NATSClient.Configuration(servers: try servers.map { try NATSServer($0) })
            configuration.credentials = credentials
            configuration.name = "duet serve"
            configuration.logger = Logger(label: "duet.serve.nats")
            // A server of NATS that stands still is left soon: calls wait for it.
            configuration.pingInterval = .seconds(2)
            configuration.longestDelay = .seconds(1)
            if let authority = authority ?? environment.value(of: "DUET_NATS_AUTHORITY") {
                configuration.tls = NATSClient.TLS(trust: authority == "system" ? .system : .file(authority))
            }
            let client = try NATSClient(configuration)
            try await client.connect()
            return try await NATSExchangeLog.open(shared, on: client)
        } catch {
            throw Refusal("--nats: \(error)")
        }
    }

    private func credentials(_ environment: [String: String]) throws(Refusal) -> NATSCredentials {
        guard let path = credentialsFile ?? environment.value(of: "DUET_NATS_CREDENTIALS_FILE") else { return .none }
        let text = try OptionFile.read(path, option: "--nats-credentials-file")
        guard let line = text.split(whereSeparator: \.isNewline).first, !line.isEmpty else {
            throw Refusal("--nats-credentials-file \(path): the file is empty")
        }
        guard let colon = line.firstIndex(of: ":") else { return .token(String(line)) }
        return .password(user: String(line[..<colon]), password: String(line[line.index(after: colon)...]))
    }

    private func replicas(_ environment: [String: String]) throws(Refusal) -> Int {
        let text = replicas.map { "\($0)" } ?? environment.value(of: "DUET_NATS_REPLICAS") ?? "1"
        guard let number = Int(text), 1...5 ~= number else {
            throw Refusal("--nats-replicas, DUET_NATS_REPLICAS: 1 to 5, not \(text)")
        }
        return number
    }
}
