import Foundation
import RTC
import RTCPeer
import RTCWire
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("Peers that say too much", .timeLimit(.minutes(2)))
struct FloodTests {
    @Test("Who calls anew each moment opens connections no faster than they are closed; the last call is taken")
    func invitations() async throws {
        let pair = try await CallPair()
        let manager = pair.bob.controller.manager
        await pair.bob.controller.setAutoAcceptCalls(true)
        // An offer as it comes from a kit.
        try await pair.alice.controller.sendCallRequest(to: "nobody")
        #expect(await eventually { pair.server.signals == ["alice invite"] })
        guard case .signal(let data)? = pair.server.log.first?.content else { throw CancellationError() }
        let invitation = try CallSignal(decoding: [UInt8](data))
        try await pair.alice.controller.endCall()
        let random = SeededRandom(seed: 1)
        var most = 0
        for _ in 0..<200 {
            let signal = CallSignal(call: .random(from: random), invitation.content)
            await manager.receiver.didReceiveSignal(Data(signal.encoded()), from: "mallory", isPolite: true)
            most = max(most, await manager.closingCount)
        }
        #expect((1...CallManager.maximumClosing).contains(most))
        #expect(await eventually { await manager.closingCount == 0 })
        #expect(await eventually { await manager.connection != nil })
        #expect(await pair.bob.controller.remotePeerID == "mallory")
        try await pair.bob.controller.endCall()
        #expect(await manager.closingCount == 0)
        #expect(await pair.bob.diary.wait(for: "ended", times: 200))
        pair.bob.diary.forget()
        await pair.bob.controller.setAutoAcceptCalls(false)
        try await pair.alice.call(pair.bob)
    }

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
