import ArgumentParser
import DuetShell
import Foundation
import RTCSignaling

/// `--event-loops`: the threads of the server.
struct EventLoopOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The number of event loops, each with a thread: one for the state, the others for sockets and TLS; 1 for a single \
            one with everything. By default as many as there are processors. Also in DUET_EVENT_LOOPS.
            """, valueName: "count"))
    var eventLoops: Int?

    static let range = 1...64

    func validate() throws {
        if let eventLoops, !Self.range.contains(eventLoops) { throw ValidationError("--event-loops is 1 to 64") }
    }

    /// The number of event loops.
    ///
    /// - Parameter environment: Counts if there is no option.
    func count(_ environment: [String: String]) throws(Refusal) -> Int {
        if let eventLoops { return eventLoops }
        // One counts the processors of the process, the other what a container's quota allows.
        let processors = min(ProcessInfo.processInfo.activeProcessorCount, SignalingServer.processors)
        guard let text = environment["DUET_EVENT_LOOPS"], !text.isEmpty else {
            return min(max(processors, Self.range.lowerBound), Self.range.upperBound)
        }
        guard let count = Int(text), Self.range.contains(count) else { throw Refusal("DUET_EVENT_LOOPS is 1 to 64") }
        return count
    }
}
