import DuetShell
import Foundation

/// `duet-demo data`: two processes that connect and send each other a file.
struct DataDemoOptions: Sendable, Equatable {
    /// The file that each sends to the other; `nil` for two files that are made up.
    var file: String?
    /// The size of the files that are made up, in megabytes.
    var size = 64
    /// Whether to keep the received files.
    var keepsFiles = false
    var log = LogLevel.warning

    init(_ arguments: inout ArgumentReader) throws(Refusal) {
        while let argument = try arguments.next() {
            switch argument {
            case "--size":
                guard let size = Int(try arguments.value()), (1...10_000).contains(size) else {
                    throw Refusal("--size is 1 to 10000 megabytes")
                }
                self.size = size
            case "--keep": keepsFiles = true
            case "--log": log = try arguments.logLevel()
            case _ where argument.hasPrefix("-") || file != nil: throw ArgumentReader.unknown(argument)
            default: file = argument
            }
        }
    }

    /// - Returns: The exit status.
    func run() async throws(Refusal) -> Int32 {
        let interruption = Interruption()
        let folder: DemoFolder
        do throws(DemoFolder.Failure) {
            folder = try DemoFolder(file: file, size: size * 1_000_000, interruption)
        } catch {
            if error.isInterruption { return Demo.interruptedStatus }
            throw Refusal(error.description)
        }
        var run = DemoRun(folder: folder, display: DemoDisplay(), log: log)
        let status = await run.run(interruption)
        if keepsFiles {
            run.display.note("The received files: \(folder.transfers.map(\.received.path).joined(separator: ", "))")
        } else {
            folder.remove()
        }
        return status
    }
}
