import Foundation
import RTC
import RTCPeer
import RTCWire
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("Peers that say too much", .timeLimit(.minutes(2)))
struct FloodTests {
    @Test("What waits for a connection is bounded, and the call goes on")
    func signals() async throws {
        let pair = try await CallPair.running()
        let call = try #require(await pair.bob.controller.manager.connection)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        // The connection is busy with something else.
        call.enqueue { _ in
            enter.finish()
            for await _ in gate {}
        }
        for await _ in entered {}
        for number in 0..<1_000 { call.receive(.candidate(ICECandidateInit(candidate: "nonsense \(number)"))) }
        #expect(call.droppedSignals.load(ordering: .relaxed) == 1_000 - CallConnection.maximumWaitingSignals)
        open.finish()
        // Once they are dealt with there is room again.
        try await pair.bob.controller.startVideoRecording()
        #expect(await pair.alice.diary.wait(for: "remote video"))
        for _ in 0..<200 { call.receive(.candidate(ICECandidateInit(candidate: "more"))) }
        #expect(call.droppedSignals.load(ordering: .relaxed) == 1_000 - CallConnection.maximumWaitingSignals)
        #expect(await pair.bob.controller.state == .callIsRunning)
        try await pair.hangUp()
    }
}
