import RTC
import Testing

@testable import WebRTCKit

@Suite("Changes while a call runs", .timeLimit(.minutes(2)))
struct ConfigurationChangeTests {
    @Test("Any number of changes between start and commit is one offer")
    func oneOffer() async throws {
        let pair = try await CallPair()
        try await pair.alice.call(pair.bob)
        let alice = pair.alice.controller
        #expect(pair.server.offers() == 0)
        try await alice.startConfiguration()
        try await alice.startRecording()
        try await Task.sleep(for: .milliseconds(50))
        try await alice.startVideoRecording()
        let channels = [
            try await alice.createDataChannel(label: "first"), try await alice.createDataChannel(label: "second"),
        ]
        try await Task.sleep(for: .milliseconds(100))
        #expect(pair.server.offers() == 0)
        #expect(channels.allSatisfy { $0.readyState == .connecting })
        try await alice.commitConfiguration()
        #expect(await pair.bob.diary.wait(for: "remote video"))
        #expect(await pair.bob.diary.wait(for: "remote audio"))
        #expect(await pair.bob.diary.wait(for: "channel first"))
        #expect(await pair.bob.diary.wait(for: "channel second"))
        #expect(await pair.bob.diary.ear.hears(440))
        #expect(await eventually { channels.allSatisfy { $0.readyState == .open } })
        #expect(pair.server.offers() == 1)
        // Without a change there is nothing to say.
        try await alice.startConfiguration()
        try await alice.commitConfiguration()
        try await alice.commitConfiguration()
        try await Task.sleep(for: .milliseconds(100))
        #expect(pair.server.offers() == 1)
        try await pair.hangUp()
    }

    @Test("A change outside of a configuration is one offer each")
    func oneEach() async throws {
        let pair = try await CallPair.running()
        try await pair.alice.controller.startVideoRecording()
        #expect(await pair.bob.diary.wait(for: "remote video"))
        #expect(await eventually { pair.server.offers() == 1 })
        let channel = try await pair.alice.controller.createDataChannel(label: "data")
        #expect(await eventually { channel.readyState == .open })
        #expect(pair.server.offers() == 2)
        // The next channel needs none.
        let second = try await pair.bob.controller.createDataChannel(label: "more")
        #expect(await eventually { second.readyState == .open })
        #expect(pair.server.offers() == 2)
        try await pair.hangUp()
    }

    @Test("Offers of the other side are answered while changes are collected")
    func answersMeanwhile() async throws {
        let pair = try await CallPair.running()
        try await pair.alice.controller.startConfiguration()
        try await pair.bob.controller.startVideoRecording()
        #expect(await pair.alice.diary.wait(for: "remote video"))
        let eye = Eye()
        pair.alice.diary.remoteVideo?.add(eye)
        #expect(await eye.sees())
        #expect(pair.server.offers(of: "alice") == 0)
        try await pair.alice.controller.commitConfiguration()
        try await pair.hangUp()
    }

    @Test("A configuration ends with its call")
    func endsWithCall() async throws {
        let pair = try await CallPair.running()
        try await pair.alice.controller.startConfiguration()
        try await pair.alice.controller.startVideoRecording()
        try await pair.hangUp()
        await #expect(throws: CallManagerError.self) { try await pair.alice.controller.commitConfiguration() }
        try await pair.alice.call(pair.bob, times: 2)
        #expect(await pair.bob.diary.wait(for: "remote video"))
        try await pair.alice.hangUp(pair.bob, times: 2)
    }

    @Test("Both sides start video at once, and both are seen", arguments: [0, 20])
    func crossing(delay: Int) async throws {
        let pair = try await CallPair.running()
        pair.server.setDelay(.milliseconds(delay))
        async let first: Void = pair.alice.controller.startVideoRecording()
        async let second: Void = pair.bob.controller.startVideoRecording()
        _ = try await (first, second)
        let (left, right) = (Eye(), Eye())
        #expect(await pair.alice.diary.wait(for: "remote video"))
        #expect(await pair.bob.diary.wait(for: "remote video"))
        pair.alice.diary.remoteVideo?.add(left)
        pair.bob.diary.remoteVideo?.add(right)
        #expect(await left.sees())
        #expect(await right.sees())
        try await pair.hangUp()
    }
}
