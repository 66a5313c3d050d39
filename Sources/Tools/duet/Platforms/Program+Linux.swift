#if os(Linux)
    import ArgumentParser
    import Foundation
    import RTCViews

    /// Windows belong to the first thread, which runs their main loop and the main actor; commands run elsewhere.
    @main
    enum Program {
        @MainActor static func main() {
            do {
                try MainLoop.run { try await run() }
                end(with: .success)
            } catch {
                let status = Duet.exitCode(for: error)
                say(Duet.fullMessage(for: error), on: status.isSuccess ? .standardOutput : .standardError)
                end(with: status)
            }
        }

        private nonisolated static func run() async throws {
            var command = try Duet.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        }

        private static func say(_ message: String, on file: FileHandle) {
            guard !message.isEmpty else { return }
            try? file.write(contentsOf: Data((message + "\n").utf8))
        }

        /// Ends the process as it is. The usual end would first clear away what libraries hold, while threads of theirs go on:
        /// those that draw in software, for one, crash on what is gone then.
        private static func end(with status: ExitCode) -> Never {
            fflush(nil)
            _exit(status.rawValue)
        }
    }
#endif
