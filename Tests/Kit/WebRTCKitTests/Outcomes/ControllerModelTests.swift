import Observation
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("A controller as a view follows it", .timeLimit(.minutes(1)))
@MainActor
struct ControllerModelTests {
    /// Waits until `condition` holds.
    private func comes(_ condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return condition()
    }

    @Test("It follows a call from the first ring to the end, with its tracks, and tells views so")
    func call() async throws {
        let pair = try await CallPair()
        let model = WebRTCControllerModel(pair.bob.controller)
        let isTold = Mutex(false)
        withObservationTracking {
            _ = model.call
        } onChange: {
            isTold.withLock { $0 = true }
        }
        try await pair.alice.controller.startRecording()
        try await pair.bob.controller.startRecording()
        try await pair.alice.controller.sendCallRequest(to: "bob")
        #expect(await comes { model.call?.state == .ringing })
        #expect(isTold.withLock { $0 } && model.call?.direction == .incoming && model.call?.peer.id == "alice")
        try await pair.bob.controller.answerCallRequest(accept: true)
        #expect(await comes { model.call?.state == .connected && model.remoteAudioTrack != nil })
        #expect(model.localAudioTrack != nil && model.serverState == .connected)
        // Whoever comes later sees the same.
        let later = WebRTCControllerModel(pair.bob.controller)
        #expect(await comes { later.remoteAudioTrack != nil && later.localAudioTrack != nil })
        #expect(later.call?.id == model.call?.id)
        try await pair.alice.controller.endCall()
        #expect(await comes { model.call?.outcome == .hungUp(by: .remote) })
        #expect(model.remoteAudioTrack == nil && model.localAudioTrack != nil)
    }

    @Test("It goes when nobody holds it")
    func released() async throws {
        let pair = try await CallPair()
        let reference = Reference()
        do {
            let held = WebRTCControllerModel(pair.alice.controller)
            reference.model = held
            #expect(reference.model != nil)
            // Its reading has begun.
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(await comes { reference.model == nil })
    }
}

@MainActor
private final class Reference {
    weak var model: WebRTCControllerModel?
}
