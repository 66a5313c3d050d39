import ArgumentParser
import Foundation
import RTCSignaling

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
              duet serve --auth token=users.txt --ice-server turn:turn.example.org --turn-secret-file secret.txt

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
            Who may sign in: everybody under any name; those with a token of a file of lines “user token”; or those with \
            a JSON Web Token that a key verifies (a public key in PEM, a set of keys in JSON, or a secret).
            """, valueName: "open|token=FILE|jwt=KEYFILE"),
        transform: AuthenticationOption.parse)
    var auth: AuthenticationOption = .open

    @Option(
        name: .customLong("ice-server"),
        help: ArgumentHelp(
            "A STUN or TURN server that clients are told of. May be given several times.",
            valueName: "url[,username,credential]"),
        transform: ICEServerOption.parse)
    var iceServers: [ICEServerOption] = []

    @Option(
        help: ArgumentHelp("The secret that a TURN server shares (coturn: static-auth-secret).", valueName: "secret"))
    var turnSecret: String?

    @Option(
        help: ArgumentHelp("A file with that secret, so that it stands in no list of processes.", valueName: "file"))
    var turnSecretFile: String?

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "Let pages of this origin use the server too. May be given several times.", valueName: "origin"))
    var allowedOrigins: [String] = []

    @Flag(help: "Serve figures for Prometheus at /metrics.")
    var metrics = false

    @Flag(help: "Print the address as one JSON object.")
    var json = false

    @OptionGroup var logging: LogOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
        guard (certificate == nil) == (privateKey == nil) else {
            throw ValidationError("--certificate and --private-key belong together")
        }
        guard turnSecret == nil || turnSecretFile == nil else {
            throw ValidationError("give --turn-secret or --turn-secret-file, not both")
        }
    }

    func run() async throws {
        logging.bootstrap()
        let interruption = Interruption()
        let server: SignalingServer
        do {
            server = try await SignalingServer.start(try await makeConfiguration())
        } catch let error as SignalingServerError {
            throw Refusal.exit(error.message)
        } catch let error as ServeRefusal {
            throw Refusal.exit(error.message)
        }
        announce(server)
        for await _ in interruption.signals {
            // A second signal ends it at once.
            let stopping = Task { await server.stop(message: "the server is being stopped") }
            let impatience = Task {
                for await _ in interruption.signals { Foundation.exit(130) }
            }
            await stopping.value
            impatience.cancel()
            return
        }
    }

    func makeConfiguration() async throws -> SignalingServer.Configuration {
        var configuration = SignalingServer.Configuration()
        configuration.host = host
        configuration.port = port
        if let certificate, let privateKey {
            configuration.tls = SignalingServer.TLS(certificateFile: certificate, privateKeyFile: privateKey)
        }
        configuration.authenticator = try await auth.makeAuthenticator()
        configuration.iceServers = iceServers.map {
            SignalingICEServer(urls: [$0.url], username: $0.username, credential: $0.credential)
        }
        configuration.relayCredentials = try secret().map { RelayCredentials(secret: $0) }
        configuration.allowedOrigins = Set(allowedOrigins)
        configuration.page = .call
        configuration.servesMetrics = metrics
        return configuration
    }

    private func secret() throws -> String? {
        guard let turnSecretFile else { return turnSecret }
        let text = try ServeFile.read(turnSecretFile, option: "--turn-secret-file")
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else { throw ServeRefusal("--turn-secret-file \(turnSecretFile): the file is empty") }
        return secret
    }

    private func announce(_ server: SignalingServer) {
        let text =
            json
            ? #"{"event":"serving","page":"\#(server.pageURL)","signaling":"\#(server.url)","port":\#(server.port)}"#
            : "The call page is at \(server.pageURL)\nSignalling is at \(server.url)\nPress Ctrl-C to stop."
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
}
