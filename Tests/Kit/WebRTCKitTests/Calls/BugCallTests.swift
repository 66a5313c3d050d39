import Foundation
import Testing

@testable import WebRTCKit

extension CallManager {
    /// Candidates of the other side that wait for a connection.
    fileprivate var waitingCandidates: Int { core.call?.remoteCandidates.count ?? 0 }
}

/// Those of the original WebRTCKit's bugs that need a path between two real connections to be seen.
@Suite("Bugs that the original WebRTCKit has, with real connections", .timeLimit(.minutes(3)))
struct BugCallTests {
    @Test("Bug 1: An ICE restart is answered while the receiver has no path; Bug 11: both apps hear that it was lost")
    func restartWhileDisconnected() async throws {
        let cable = Cable()
        let pair = try await CallPair()
        pair.lead(through: cable)
        try await pair.alice.controller.startRecording()
        try await pair.bob.controller.startRecording()
        try await pair.alice.call(pair.bob)
        #expect(await pair.bob.diary.ear.hears(440))
        let before = try await pair.bob.controller.statistics().transport.iceLocalUsernameFragment
        pair.server.forget()
        cable.cut()
        // Both are told, though nobody hung up.
        #expect(await pair.alice.diary.wait(for: "lost", within: 40))
        #expect(await pair.bob.diary.wait(for: "lost", within: 40))
        // The restart is offered and answered without a path: nothing else could bring one back.
        #expect(
            await eventually {
                pair.server.signals.contains { $0.hasSuffix("negotiate offer") }
                    && pair.server.signals.contains { $0.hasSuffix("negotiate answer") }
            })
        #expect(
            await eventually {
                let now = try? await pair.bob.controller.statistics().transport.iceLocalUsernameFragment
                return now != before
            })
        #expect(await pair.alice.controller.state == .connecting)
        #expect(await pair.bob.controller.state == .connecting)
        cable.mend()
        #expect(await pair.alice.diary.wait(for: "restored", within: 40))
        #expect(await pair.bob.diary.wait(for: "restored", within: 40))
        pair.bob.diary.ear.forget()
        #expect(await pair.bob.diary.ear.hears(440))
        #expect(pair.alice.diary.count("lost") == 1 && pair.bob.diary.count("lost") == 1)
        try await pair.hangUp()
        cable.remove()
    }

    @Test("Bug 8: Candidates that come while it rings are used, however long that lasts")
    func candidatesWhileRinging() async throws {
        let pair = try await CallPair()
        // The callee's candidates never arrive: the path can only be found by those of the caller, and come from there.
        pair.server.setFilter { message in
            if case .candidate = message.content, message.from == "bob" { return nil }
            return message
        }
        try await pair.alice.controller.sendCallRequest(to: "bob")
        #expect(await pair.bob.diary.wait(for: "incoming alice"))
        #expect(await eventually { pair.server.candidates(of: "alice") > 0 })
        // All are there before anybody answers.
        try await Task.sleep(for: .seconds(2))
        let early = pair.server.candidates(of: "alice")
        #expect(await pair.bob.controller.manager.waitingCandidates == early)
        try await pair.bob.controller.answerCallRequest(accept: true)
        #expect(await pair.alice.diary.wait(for: "started"))
        #expect(await pair.bob.diary.wait(for: "started"))
        #expect(pair.server.candidates(of: "alice") == early)
        try await pair.hangUp()
    }
}
