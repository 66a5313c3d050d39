import ArgumentParser
import Foundation
import RTC
import RTCSignaling

/// `duet demo`
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Watch two processes call each other.",
        subcommands: [CallDemoCommand.self, DataDemoCommand.self],
        defaultSubcommand: CallDemoCommand.self)
}

/// `duet demo`, `duet demo call`: a call with a media file and recorded speech, and its quality.
struct CallDemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "A video call between two processes, and how well it went. This is what “duet demo” does.",
        discussion: """
            A server is started in this process, and two others call each other through it. At the end there is what the \
            call was like: how long it took to begin, how many pictures came, and how near they and the sound are to what \
            was sent. What one side saw and heard is recorded.

            Examples:
              duet demo
              duet demo --duration 60 --codec vp9
              duet demo --film holiday.mp4 --speech talk.wav --record holiday.webm
              duet demo --browser

            The exit status is 0 if both saw and heard each other.
            """)

    @Flag(help: "Leave the page up, with somebody there to call, and print its address.")
    var browser = false

    @Option(help: ArgumentHelp("How long the call lasts.", valueName: "seconds"))
    var duration = 10.0

    @Option(help: ArgumentHelp("The film that is sent. Without it, one that a package has brought.", valueName: "file"))
    var film: String?

    @Option(help: ArgumentHelp("The speech that is sent. Without it, what a package has brought.", valueName: "file"))
    var speech: String?

    @Option(
        name: .customLong("codec"),
        help: ArgumentHelp("Use this codec, and of its kind no other. May be given several times.", valueName: "name"))
    var codecs: [String] = []

    @Option(help: ArgumentHelp("Where the recording goes.", valueName: "file.webm"))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "What the film's pictures are made to fit into. Without it, what this machine can do twice at once.",
            valueName: "640x360"),
        transform: CallOptions.size)
    var size: PictureSize?

    @Flag(inversion: .prefixedNo, help: "Show what one side sees in a window, where there is a screen.")
    var window = true

    @OptionGroup var logging: LogOptions

    func validate() throws {
        guard (2...3_600).contains(duration) else { throw ValidationError("--duration is 2 to 3600 seconds") }
    }

    func run() async throws {
        logging.bootstrap()
        let interruption = Interruption()
        do {
            if !codecs.isEmpty { _ = try CodecOption.choose(codecs) }
            let clips = try DemoClips(film: film, speech: speech)
            var configuration = SignalingServer.Configuration()
            configuration.page = .call
            if browser { configuration.port = 8080 }
            let server = try await start(configuration)
            if browser {
                throw ExitCode(
                    await BrowserDemo(clips: clips, size: pictureSize, logLevel: logging.log).run(server, interruption))
            }
            throw ExitCode(await call(clips, server, interruption))
        } catch let refusal as CallRefusal {
            throw Refusal.exit(refusal.description)
        } catch let refusal as MediaRefusal {
            throw Refusal.exit(refusal.description)
        } catch let error as SignalingServerError {
            throw Refusal.exit(error.message)
        }
    }

    /// Uses the default port, or another one if that is taken.
    private func start(_ configuration: SignalingServer.Configuration) async throws -> SignalingServer {
        if let server = try? await SignalingServer.start(configuration) { return server }
        var elsewhere = configuration
        elsewhere.port = 0
        return try await SignalingServer.start(elsewhere)
    }

    /// Two videos are decoded, encoded and decoded again, and one is recorded: 1280 × 720 takes about three cores.
    private var pictureSize: PictureSize {
        if let size { return size }
        return ProcessInfo.processInfo.activeProcessorCount >= 4
            ? PictureSize(width: 1_280, height: 720) : PictureSize(width: 640, height: 360)
    }

    private func call(_ clips: DemoClips, _ server: SignalingServer, _ interruption: Interruption) async -> Int32 {
        let temporary = FileManager.default.temporaryDirectory
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        let folder = temporary.appendingPathComponent("duet-demo-\(number)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = ProcessInfo.processInfo.environment
        let hasScreen = !(environment["DISPLAY"] ?? "").isEmpty || !(environment["WAYLAND_DISPLAY"] ?? "").isEmpty
        let options = CallDemoRun.Options(
            clips: clips, duration: duration,
            recording: record ?? temporary.appendingPathComponent("duet-demo.webm").path,
            showsWindow: window && hasScreen, codecs: codecs, size: pictureSize, logLevel: logging.log)
        var run = CallDemoRun(options, folder: folder)
        let status = await run.run(server, interruption)
        await server.stop(grace: .milliseconds(200))
        return status
    }
}

/// `duet demo data`: two processes that connect and send each other a file.
struct DataDemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data",
        abstract: "Two processes connect and send each other a file.",
        discussion: """
            Two processes are started on this machine. Their descriptions and candidates are carried from one to the \
            other as the signalling of an app would do it; the files take the data channel between them, both at the same \
            time. At the end each received file is compared with the one that was sent.

            Examples:
              duet demo data
              duet demo data --size 500
              duet demo data holiday.mp4 --keep

            The exit status is 0 if both files arrived as they were sent.
            """)

    @Argument(help: "The file that each sends to the other. Without it, two files are made up.")
    var file: String?

    @Option(help: ArgumentHelp("The size of the files that are made up, in megabytes.", valueName: "mb"))
    var size = 64

    @Flag(help: "Keep the received files.")
    var keep = false

    @OptionGroup var logging: LogOptions

    func validate() throws {
        guard (1...10_000).contains(size) else { throw ValidationError("--size is 1 to 10000 megabytes") }
    }

    func run() async throws {
        let interruption = Interruption()
        let folder: DemoFolder
        do {
            folder = try DemoFolder(file: file, size: size * 1_000_000, interruption)
        } catch {
            if error.isInterruption { throw ExitCode(DemoRun.interruptedStatus) }
            throw Refusal.exit(error.description)
        }
        var run = DemoRun(folder: folder, display: DemoDisplay(), logLevel: logging.log)
        let status = await run.run(interruption)
        if keep {
            run.display.note("The received files: \(folder.transfers.map(\.received.path).joined(separator: ", "))")
        } else {
            folder.remove()
        }
        throw ExitCode(status)
    }
}

/// `duet demo-peer`: one of the two processes of `duet demo data`.
struct DemoPeerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-peer", abstract: "One of the two processes of “duet demo data”.", shouldDisplay: false)

    @Argument var role: PeerRole
    @Option var send: String
    @Option var receive: String
    @OptionGroup var logging: LogOptions

    func run() async throws {
        logging.bootstrap()
        let terminal = JSONTerminal()
        let peer: DemoPeer
        do {
            peer = try DemoPeer(role: role, send: send, receive: receive, output: terminal.output)
        } catch {
            throw Refusal.exit(error.message)
        }
        await peer.run(terminal.inputs)
    }
}
