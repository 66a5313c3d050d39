import ArgumentParser
import Foundation
import RTCSignaling
import Testing

@testable import DuetShell
@testable import duet

@Suite("The event loops of duet serve")
struct EventLoopOptionTests {
    private func count(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Int {
        try ServeCommand.parse(arguments).loops.count(environment)
    }

    @Test("As many as there are processors; the environment counts for what no option says")
    func counts() throws {
        let processors = min(ProcessInfo.processInfo.activeProcessorCount, SignalingServer.processors)
        #expect(try count([]) == min(max(processors, 1), 64))
        #expect(try count(["--event-loops", "3"]) == 3)
        #expect(try count([], ["DUET_EVENT_LOOPS": "4"]) == 4)
        #expect(try count(["--event-loops", "1"], ["DUET_EVENT_LOOPS": "4"]) == 1)
        #expect(try count([], ["DUET_EVENT_LOOPS": ""]) >= 1)
    }

    @Test("What is no number of loops is refused", arguments: ["0", "65", "x", "-1"])
    func refused(text: String) {
        #expect(throws: (any Error).self) { try ServeCommand.parse(["--event-loops=\(text)"]) }
        #expect(throws: Refusal.self) { try count([], ["DUET_EVENT_LOOPS": text]) }
    }
}
