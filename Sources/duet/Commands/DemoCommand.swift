import ArgumentParser
import Foundation
import RTC

/// `duet demo`: two processes that connect and send each other a file.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Watch two processes connect and send each other a file.",
        discussion: """
            Two processes are started on this machine. Their descriptions and candidates are carried from one to the \
            other as the signalling of an app would do it; the files take the data channel between them, both at the same \
            time. At the end each received file is compared with the one that was sent.

            Examples:
              duet demo
              duet demo --size 500
              duet demo holiday.mp4 --keep

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

/// `duet demo-peer`: one of the two processes of `duet demo`.
struct DemoPeerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-peer", abstract: "One of the two processes of “duet demo”.", shouldDisplay: false)

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
