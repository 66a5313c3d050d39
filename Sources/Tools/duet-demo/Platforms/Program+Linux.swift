#if os(Linux)
    import DuetShell
    import Foundation
    import RTCViews

    /// Windows belong to the first thread, which runs the main loop and the main actor; the demo runs on other threads.
    @main
    enum Program {
        @MainActor static func main() {
            var status: Int32
            do {
                status = try MainLoop.run { await run() }
            } catch {
                Refusal.say("\(error)")
                status = 1
            }
            // At once: `exit` would first free the state of libraries whose threads still run, and some of them would crash.
            fflush(nil)
            _exit(status)
        }

        private nonisolated static func run() async -> Int32 { await Demo.run() }
    }
#endif
