import DuetShell

/// The program `duet-demo`.
enum Demo {
    /// The exit status after SIGINT or SIGTERM, as in shells.
    static let interruptedStatus: Int32 = 130
    /// The exit status if an option cannot be satisfied.
    private static let refusedStatus: Int32 = 2

    /// - Returns: The exit status.
    static func run() async -> Int32 {
        do throws(Refusal) {
            return try await DemoCommand(parsing: Array(CommandLine.arguments.dropFirst())).run()
        } catch {
            Refusal.say(error.description)
            return refusedStatus
        }
    }
}
