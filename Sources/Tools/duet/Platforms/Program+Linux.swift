#if os(Linux)
    import ArgumentParser
    import Foundation
    import RTCViews

    /// Windows belong to the first thread, which runs the main loop and the main actor; commands run on other threads.
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

        /// Ends the process at once. `exit` would first free the state of libraries whose threads still run, and some of them,
        /// such as software renderers, would crash.
        private static func end(with status: ExitCode) -> Never {
            fflush(nil)
            _exit(status.rawValue)
        }
    }
#endif
