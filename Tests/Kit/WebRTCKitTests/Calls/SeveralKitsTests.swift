import RTC
import Testing

@testable import WebRTCKit

@Suite("Bug 12: Several kits in one process", .timeLimit(.minutes(2)))
struct SeveralKitsTests {
    @Test("Four kits make two calls at once, which know nothing of each other")
    func twoCalls() async throws {
        let (first, second) = (try await CallPair.running(), try await CallPair.running { _ in })
        for pair in [first, second] {
            #expect(await pair.alice.diary.ear.hears(880))
            #expect(await pair.bob.diary.ear.hears(440))
        }
        try await first.hangUp()
        #expect(await second.alice.controller.state == .callIsRunning)
        second.alice.diary.ear.forget()
        #expect(await second.alice.diary.ear.hears(880))
        try await second.hangUp()
    }

    @Test("Three kits of one server call each other in turn")
    func three() async throws {
        let server = InMemoryServer()
        let peers = [
            try await Caller("alice", server, tone: 440), try await Caller("bob", server, tone: 660),
            try await Caller("carol", server, tone: 880),
        ]
        for peer in peers { try await peer.controller.startRecording() }
        let tones = ["alice": 440.0, "bob": 660, "carol": 880]
        for (caller, callee) in [(0, 1), (1, 2), (2, 0)] {
            for peer in peers { peer.diary.forget() }
            for peer in peers { peer.diary.ear.forget() }
            try await peers[caller].call(peers[callee])
            #expect(await peers[callee].diary.ear.hears(tones[peers[caller].name] ?? 0))
            #expect(await peers[caller].diary.ear.hears(tones[peers[callee].name] ?? 0))
            try await peers[caller].hangUp(peers[callee])
        }
    }
}
