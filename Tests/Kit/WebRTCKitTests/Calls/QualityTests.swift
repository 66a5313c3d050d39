import RTC
import Testing

@testable import WebRTCKit

@Suite("The quality of a call", .timeLimit(.minutes(2)))
struct CallQualityReportTests {
    @Test("A call on one machine is told to be good at both ends; one that nothing arrives of any more is bad")
    func toldOfACall() async throws {
        let cable = Cable()
        let pair = try await CallPair()
        pair.lead(through: cable)
        try await pair.alice.controller.startRecording()
        try await pair.bob.controller.startRecording()
        #expect(await pair.alice.controller.callQuality == nil)
        try await pair.alice.call(pair.bob)
        for side in [pair.alice, pair.bob] {
            let isGood = await eventually(within: 15) { (await side.controller.callQuality?.level ?? .bad) >= .good }
            #expect(isGood)
            // The delegate hears of it a moment later.
            #expect(await eventually { side.diary.words.contains { $0.hasPrefix("quality ") } })
        }
        cable.cut()
        #expect(await pair.alice.diary.wait(for: "quality bad"))
        // The signalling goes on: it is not our own network, as far as we can tell.
        #expect(await pair.alice.controller.callQuality?.reason == .theirNetwork)
        // The quality is told earlier than the loss of the path; what is not lost is not restored.
        #expect(await pair.alice.diary.wait(for: "lost", within: 40))
        cable.mend()
        #expect(await pair.alice.diary.wait(for: "restored", within: 40))
        try await pair.hangUp()
        #expect(await pair.alice.controller.callQuality == nil)
        cable.remove()
    }
}
