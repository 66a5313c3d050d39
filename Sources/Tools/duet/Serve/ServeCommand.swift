import ArgumentParser
import DuetShell
import Foundation
import Logging
import PrometheusMetrics
import RTC
import RTCNetwork
import RTCSignaling
import RTCSignalingService
import ServiceLifecycle

/// `duet serve`: signalling and the call page.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the call page, and the signalling by which callers find each other.",
        discussion: """
            The address of the page is printed when it can be opened. Browsers let a page use camera and microphone only \
            on this machine or over https: elsewhere, give a certificate.

            Examples:
              duet serve
              duet serve --host 0.0.0.0 --port 8443 --certificate chain.pem --private-key key.pem
              duet serve --auth token=users.txt --turn-url turn:turn.example.org --turn-secret secret.txt
              duet serve --host 0.0.0.0 --nats nats://10.0.0.5

            SIGHUP reads the certificate, its key, and the files of --auth and of pushes again.

            The exit status is 0 after SIGINT or SIGTERM, and 2 if the server cannot start.
            """)

    @Option(help: "The port to listen on; 0 lets the system choose.")
    var port = 8080

    @Option(help: "The address to listen on; 0.0.0.0 and :: are all of this machine.")
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("The certificate and its authorities, in PEM.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The key of the certificate, in PEM.", valueName: "file"))
    var privateKey: String?

    @Option(
        help: ArgumentHelp(
            """
            Who may sign in: everybody under any name; those with a token of a file of lines “user token”; those with \
            a JSON Web Token that a key verifies (a public key in PEM, a set of keys in JSON, or a secret), and that \
            names the audience, or none; or those with \
            an access token of an OpenID or OAuth server that names this server as its audience.
            """, valueName: "open|token=FILE|jwt=KEYFILE[,AUDIENCE]|issuer=ISSUER,AUDIENCE"),
        transform: AuthenticationOption.parse)
    var auth: AuthenticationOption = .open

    @Option(
        name: .customLong("ice-server"),
        help: ArgumentHelp(
            "A STUN or TURN server that clients are told of. May be given several times.",
            valueName: "url[,username,credential]"),
        transform: PeerConnection.ICEServer.init(argument:))
    var iceServers: [PeerConnection.ICEServer] = []

    @Option(
        name: .customLong("turn-url"),
        help: ArgumentHelp(
            """
            A TURN server that shares a secret with this one, and so takes the credentials that clients are given for a \
            while (coturn: use-auth-secret). May be given several times.
            """, valueName: "url"))
    var turnURLs: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            The secret (coturn: static-auth-secret), or a file with it, so that it stands in no list of processes.
            """, valueName: "secret|file"))
    var turnSecret: String?

    @Option(help: ArgumentHelp("A file with the secret, whatever it is called.", valueName: "file"))
    var turnSecretFile: String?

    @Option(
        help: ArgumentHelp(
            "How long those credentials can be used; with --auth open from elsewhere, an hour at most.",
            valueName: "seconds"))
    var turnLifetime = 12 * 3_600

    @Option(
        name: .customLong("server-name"),
        help: ArgumentHelp(
            """
            A name by which browsers ask for this server, beside localhost, addresses and those in the certificate; \
            requests by another name are refused. May be given several times, and in DUET_SERVER_NAME with commas between.
            """, valueName: "name"))
    var names: [String] = []

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "Let pages of this origin use the server too. May be given several times.", valueName: "origin"))
    var allowedOrigins: [String] = []

    @OptionGroup var proxies: ProxyOptions

    @OptionGroup var push: PushOptions

    @OptionGroup var nodes: NodeOptions

    @OptionGroup var loops: EventLoopOptions

    @Option(
        name: .customLong("limit"),
        help: ArgumentHelp(
            """
            Change a limit, such as sockets-per-address=2000 or messages-per-socket=20/100 (a rate per second, and a \
            burst). May be given several times, and in DUET_LIMITS with commas between.
            """, valueName: "name=value"),
        transform: LimitOption.parse)
    var limitOptions: [LimitOption] = []

    @Option(
        help: ArgumentHelp(
            "Write each request, and each session that ends, to a file as a line of JSON; - is standard output.",
            valueName: "file"))
    var accessLog: String?

    @Option(
        help: ArgumentHelp(
            "After SIGTERM, how long /readyz says so before clients are sent away.", valueName: "seconds"))
    var drainNotice = 0.0

    @Option(
        help: ArgumentHelp(
            "After SIGTERM, the time over which clients are sent away, one after the other.", valueName: "seconds"))
    var drainOver = 0.0

    @Flag(help: "Serve figures for Prometheus at /metrics, on the same port: everybody can read them.")
    var metrics = false

    @OptionGroup var metricsPlace: MetricsOptions

    @Flag(help: "Print the address as one JSON object.")
    var json = false

    @OptionGroup var logging: LogOptions

    /// The server names in the environment.
    static func names(of environment: [String: String]) -> [String] {
        (environment["DUET_SERVER_NAME"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    func validate() throws {
        for name in names where name.isEmpty || name.contains(where: { "/:@ ".contains($0) }) {
            throw ValidationError(
                "--server-name is a name alone, such as calls.example.org, without a scheme and a port")
        }
        try PeerConnection.ICEServer.check(iceServers)
        guard (0...3_600).contains(drainNotice), (0...3_600).contains(drainOver) else {
            throw ValidationError("--drain-notice and --drain-over are 0 to 3600 seconds")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
        guard (certificate == nil) == (privateKey == nil) else {
            throw ValidationError("--certificate and --private-key belong together")
        }
        guard turnSecret == nil || turnSecretFile == nil else {
            throw ValidationError("give --turn-secret or --turn-secret-file, not both")
        }
        guard (60...2_592_000).contains(turnLifetime) else {
            throw ValidationError("--turn-lifetime is 60 to 2592000 seconds")
        }
        for url in turnURLs {
            do {
                guard try ICEServerURL(url).scheme.isRelay else {
                    throw ValidationError("--turn-url is “\(url)”, which is no relay: write “turn:” or “turns:”")
                }
            } catch let error as ICEServerURL.ParseError {
                throw ValidationError("the URL of --turn-url \(error)")
            }
        }
        let hasSecret = turnSecret != nil || turnSecretFile != nil
        guard hasSecret || turnURLs.isEmpty else {
            throw ValidationError("--turn-url needs --turn-secret, which the TURN server knows too")
        }
        guard !hasSecret || !turnURLs.isEmpty || iceServers.contains(where: { $0.isRelay && $0.username == nil }) else {
            throw ValidationError("--turn-secret needs --turn-url, the TURN server that knows it")
        }
    }

    func run() async throws {
        // Before anything that takes time, since the signal would end the process. In a terminal that closes, a server with nothing
        // to read again ends.
        let pushSettings = push.merged(with: ProcessInfo.processInfo.environment)
        let hasPushes = pushSettings.webhook != nil || pushSettings.apnsKey != nil
        let hasFiles = certificate != nil || auth.file != nil || accessLog != nil || hasPushes
        let hangUps = hasFiles || isatty(STDIN_FILENO) == 0 ? HangUps() : nil
        logging.bootstrap()
        let interruption = Interruption()
        let server: SignalingServer
        let log: AccessLogFile?
        var endpoint: MetricsEndpoint?
        let pushes: PushSenders?
        do {
            var configuration = try await makeConfiguration()
            pushes = try await pushSettings.makeSenders(auth: auth)
            configuration.pushes = pushes?.makeService()
            configuration.log = try await nodes.open(ProcessInfo.processInfo.environment)
            log = try accessLog.map(AccessLogFile.init)
            if let log { configuration.accessLog = { log.write($0) } }
            if let place = try metricsPlace.place(ProcessInfo.processInfo.environment) {
                let factory = MetricsOptions.makeFactory()
                configuration.metrics = factory
                endpoint = try await MetricsEndpoint.start(factory, address: place.address, port: place.port)
            }
            server = try await SignalingServer.start(configuration)
        } catch let error as SignalingServerError {
            await endpoint?.stop()
            throw Refusal.exit(error.message)
        } catch let error as MetricsEndpoint.StartError {
            throw Refusal.exit("--metrics-port: \(error)")
        } catch let error as Refusal {
            throw Refusal.exit(error.description)
        }
        if let warning { Logger(label: "duet.serve").warning("\(warning)") }
        if let hangUps { ServerReload(server: server, auth: auth, log: log, pushes: pushes).run(on: hangUps) }
        announce(server, metrics: endpoint)
        try await runServices(server, endpoint, until: interruption)
        log?.flush()
        pushes?.file?.flush()
    }

    /// Runs until a signal arrives and the clients were sent away. A second signal ends the process at once.
    private func runServices(
        _ server: SignalingServer, _ endpoint: MetricsEndpoint?, until interruption: Interruption
    ) async throws {
        let draining = SignalingService.Draining(
            notice: .seconds(drainNotice), over: .seconds(drainOver), message: "the server is being stopped")
        // They are shut down in reverse: the metrics show the end of the server.
        var services: [any Service] = endpoint.map { [MetricsService(endpoint: $0)] } ?? []
        services.append(SignalingService(server, draining: draining))
        // The signals are those of `Interruption`, from before the server's start.
        let group = ServiceGroup(services: services, logger: Logger(label: "duet.serve"))
        let stopping = Task {
            var isStopping = false
            for await _ in interruption.signals {
                if isStopping { Foundation.exit(130) }
                isStopping = true
                await group.triggerGracefulShutdown()
            }
        }
        defer { stopping.cancel() }
        try await group.run()
    }

    /// A warning for the operator.
    var warning: String? {
        guard auth == .open, turnSecret != nil || turnSecretFile != nil else { return nil }
        return """
            everybody who reaches this server gets credentials for the TURN server, since --auth is open: it relays for \
            anybody. Say who may sign in, by --auth token=FILE for one
            """
    }

    func makeConfiguration() async throws -> SignalingServer.Configuration {
        var configuration = SignalingServer.Configuration()
        configuration.host = host
        configuration.port = port
        if let certificate, let privateKey {
            configuration.tls = SignalingServer.TLS(certificateFile: certificate, privateKeyFile: privateKey)
        }
        configuration.authenticator = try auth.makeAuthenticator()
        configuration.iceServers = iceServers.map {
            SignalingICEServer(urls: [$0.url], username: $0.username, credential: $0.credential)
        }
        // One entry for all URLs, since they share the secret.
        if !turnURLs.isEmpty { configuration.iceServers.append(SignalingICEServer(urls: turnURLs)) }
        configuration.relayCredentials = try secret().map {
            RelayCredentials(secret: $0, lifetime: .seconds(turnLifetime))
        }
        configuration.allowedOrigins = Set(allowedOrigins)
        configuration.names = Set(names + Self.names(of: ProcessInfo.processInfo.environment))
        configuration.page = .call
        configuration.servesMetrics = metrics
        let environment = ProcessInfo.processInfo.environment
        configuration.proxies = try proxies.makeTrust(environment)
        configuration.eventLoops = try loops.count(environment)
        for limit in try LimitOption.limits(of: environment) + limitOptions { limit.apply(to: &configuration.limits) }
        return configuration
    }

    /// The secret: the first line of the file that `--turn-secret` names, or its value itself.
    private func secret() throws -> String? {
        guard let name = turnSecretFile ?? turnSecret else { return nil }
        var isFolder: ObjCBool = false
        let isFile = FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) && !isFolder.boolValue
        if turnSecretFile == nil, !isFile {
            guard !name.isEmpty else { throw Refusal("--turn-secret is empty") }
            // A mistyped path would be a secret that is easy to guess.
            guard !Self.looksLikePath(name) else {
                throw Refusal(
                    "--turn-secret looks like the name of a file, and there is no such file. Should it be the secret itself, "
                        + "put it into a file, and name that by --turn-secret-file")
            }
            return name
        }
        let option = turnSecretFile == nil ? "--turn-secret" : "--turn-secret-file"
        let text = try OptionFile.read(name, option: option)
        let secret = text.split(whereSeparator: \.isNewline).first?.trimmingCharacters(in: .whitespaces) ?? ""
        guard !secret.isEmpty else { throw Refusal("\(option) \(name): the file is empty") }
        return secret
    }

    /// Whether the text looks like a file name rather than a secret: it begins like a path, or ends like a file name.
    static func looksLikePath(_ text: String) -> Bool {
        if text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../") || text.hasPrefix("~") { return true }
        guard let dot = text.lastIndex(of: ".") else { return false }
        let ending = text[text.index(after: dot)...]
        return (1...8).contains(ending.count) && ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// The addresses for apps on other machines; none with TLS, since a certificate is rarely for an address.
    private var nearby: [String] {
        ["0.0.0.0", "::"].contains(host) && certificate == nil ? NearbyAddresses.current() : []
    }

    static func text(page: String, signaling: String, nearby: [String]) -> String {
        let others = nearby.map { "For apps on other machines of your network: \($0)" }
        return (["The call page is at \(page)", "Signalling is at \(signaling)"] + others + ["Press Ctrl-C to stop."])
            .joined(separator: "\n")
    }

    private func announce(_ server: SignalingServer, metrics: MetricsEndpoint?) {
        let metricsMember = metrics.map { #","metricsPort":\#($0.port)"# } ?? ""
        let text =
            json
            ? #"{"event":"serving","page":"\#(server.pageURL)","signaling":"\#(server.url)","port":\#(server.port)"#
                + metricsMember + "}"
            : Self.text(page: server.pageURL, signaling: server.url, nearby: nearby.map(server.url(at:)))
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
}
