import RTC
import Testing

@testable import WebRTCKit

@Suite("How fast a call begins and ends", .timeLimit(.minutes(2)))
struct FigureTests {
    private static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

    @Test("From the press to sound at the other end, and from the hang-up to everything freed")
    func figures() async throws {
        let pair = try await CallPair()
        await pair.bob.controller.setAutoAcceptCalls(true)
        try await pair.alice.controller.startRecording()
        try await pair.bob.controller.startRecording()
        var (starts, ends): ([Double], [Double]) = ([], [])
        for _ in 0..<7 {
            for side in [pair.alice, pair.bob] {
                side.diary.forget()
                side.diary.ear.forget()
            }
            let press = ContinuousClock.now
            try await pair.alice.controller.sendCallRequest(to: "bob")
            #expect(await eventually { pair.alice.diary.ear.firstSound != nil && pair.bob.diary.ear.firstSound != nil })
            let sounds = [pair.alice, pair.bob].compactMap { $0.diary.ear.firstSound }
            starts.append(Self.milliseconds(press.duration(to: try #require(sounds.max()))))

            let remains = await CallRemains(of: pair.alice)
            // What the diary holds is not the kit's.
            pair.alice.diary.forget()
            let hangUp = ContinuousClock.now
            try await pair.alice.controller.endCall()
            while !remains.names.isEmpty, hangUp.duration(to: .now) < .seconds(10) { await Task.yield() }
            ends.append(Self.milliseconds(hangUp.duration(to: .now)))
            #expect(remains.names.isEmpty)
            #expect(await pair.bob.diary.wait(for: "ended"))
            #expect(await pair.alice.diary.wait(for: "ended"))
        }
        // The first pays for what is loaded once.
        let (start, end) = (starts.dropFirst().sorted(), ends.dropFirst().sorted())
        print("press to sound at both ends: \(starts.map { Int($0) }) ms; hang-up to freed: \(ends.map { Int($0) }) ms")
        // Of six all but one: what waits for a timer now and then shows as well. A machine on which each core has five others to
        // serve takes a third of it.
        #expect(start[start.count - 2] < 150)
        #expect(end[end.count - 2] < 50)
    }
}
