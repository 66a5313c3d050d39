import DuetShell
import RTC

/// One of the two processes of `duet-demo data`.
struct DataDemoWork: Codable, Sendable, Equatable {
    /// Whether this process makes the offer.
    var isOffering: Bool
    /// The file that is sent, and the one that is written.
    var sent: String
    var received: String
    var log: LogLevel

    /// - Returns: The exit status.
    func run() async throws(Refusal) -> Int32 {
        log.bootstrap()
        let terminal = JSONTerminal()
        let peer: DemoPeer
        do {
            peer = try DemoPeer(self, output: terminal.output)
        } catch {
            throw Refusal(error.message)
        }
        await peer.run(terminal.inputs)
        return 0
    }
}
