import RTC
import Synchronization
import Testing

@testable import WebRTCKit

/// An actor of an app's, on which buttons are pressed.
@globalActor
private actor App {
    static let shared = App()
}

@Suite("Changes that nobody waits for", .timeLimit(.minutes(2)))
struct QuickChangeTests {
    /// Starts and stops the camera in turn, without waiting.
    @App private static func press(
        _ controller: WebRTCController, times: Int, endsOn: Bool
    ) -> [Task<Void, any Error>] {
        (0..<times).map { number in
            (times - number) % 2 == (endsOn ? 1 : 0)
                ? Task { try await controller.startVideoRecording() }
                : Task { try await controller.stopVideoRecording() }
        }
    }

    @Test(
        "Who starts and stops the camera again and again has it in the end as it was asked for last",
        arguments: [false, true])
    func toggling(endsOn: Bool) async throws {
        let pair = try await CallPair.running()
        for round in 1...5 {
            for press in await Self.press(pair.alice.controller, times: 40, endsOn: endsOn) { try await press.value }
            let track = await pair.alice.controller.localVideoTrack
            let transceiver = await pair.alice.controller.manager.connection?.sending.withLock {
                $0[.video]?.transceiver
            }
            #expect((track != nil) == endsOn, "\(round)")
            #expect(transceiver?.sender.track === track?.track, "\(round)")
        }
        let bob = pair.bob.diary
        if endsOn {
            #expect(await bob.wait(for: "remote video"))
            let eye = Eye()
            #expect(await eventually { bob.remoteVideo != nil })
            bob.remoteVideo?.add(eye)
            #expect(await eye.sees())
            try await pair.alice.controller.stopVideoRecording()
        }
        #expect(await eventually { await pair.bob.controller.manager.remoteVideo.isEmpty })
        #expect(await eventually { bob.count("remote video") == bob.count("remote video removed") })
        try await pair.hangUp()
    }

    @Test("What one actor asks of a connection is done in its order, though nobody waits")
    func order() async throws {
        let pair = try await CallPair.running()
        let call = try #require(await pair.alice.controller.manager.connection)
        let tasks = await Self.ask(call, times: 500)
        for task in tasks { try await task.value }
        #expect(await Asked.shared.numbers == Array(0..<500))
        try await pair.hangUp()
    }

    @App private static func ask(_ call: CallConnection, times: Int) -> [Task<Void, any Error>] {
        (0..<times).map { number in
            Task { try await call.perform { _ throws(RTCError) in await Asked.shared.append(number) } }
        }
    }
}

private actor Asked {
    static let shared = Asked()
    private(set) var numbers: [Int] = []

    func append(_ number: Int) { numbers.append(number) }
}
