import RTC
import RTCFrames
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("A track that cannot be sent", .timeLimit(.minutes(2)))
struct RecordingFailureTests {
    /// Lets the call send one kind of media by what sends the other, where it is refused.
    ///
    /// - Returns: What sends it in truth.
    private func spoil(_ kind: MediaKind, of caller: Caller) async throws -> RTPTransceiver {
        let call = try #require(await caller.controller.manager.connection)
        let other: MediaKind = kind == .audio ? .video : .audio
        return try call.sending.withLock { sending in
            let mine = try #require(sending[kind]?.transceiver)
            let others = try #require(sending[other]?.transceiver)
            sending[kind]?.transceiver = others
            return mine
        }
    }

    private func mend(_ kind: MediaKind, _ transceiver: RTPTransceiver, of caller: Caller) async throws {
        let call = try #require(await caller.controller.manager.connection)
        call.sending.withLock { $0[kind]?.transceiver = transceiver }
    }

    private func pair() async throws -> CallPair {
        let pair = try await CallPair()
        try await pair.alice.controller.startRecording()
        try await pair.alice.controller.startVideoRecording()
        try await pair.alice.call(pair.bob)
        return pair
    }

    @Test("Another camera that cannot be sent leaves the one before as it was")
    func video() async throws {
        let pair = try await pair()
        let alice = pair.alice.controller
        let old = try #require(await alice.localVideoTrack)
        #expect(await pair.bob.diary.wait(for: "remote video"))
        let transceiver = try await spoil(.video, of: pair.alice)
        let other = PacedVideoSource(TestPattern(width: 160, height: 96), framesPerSecond: 20)
        await #expect(throws: CallManagerError.self) { try await alice.startVideoRecording(source: other) }
        #expect(await alice.localVideoTrack == old)
        #expect(!old.track.isEnded)
        #expect(await pair.alice.diary.wait(for: "local video", times: 3))
        #expect(pair.alice.diary.count("local video removed") == 1)
        #expect(pair.alice.diary.localVideo == old)
        // What is recorded is known, too: the camera again is no change.
        try await alice.startVideoRecording()
        #expect(await alice.localVideoTrack == old)
        let eye = Eye()
        pair.bob.diary.remoteVideo?.add(eye)
        #expect(await eye.sees())
        try await mend(.video, transceiver, of: pair.alice)
        try await alice.startVideoRecording(source: other)
        #expect(old.track.isEnded)
        #expect(await eventually { eye.size.map { $0 == (160, 96) } ?? false })
        try await pair.hangUp()
    }

    @Test("Another microphone that cannot be sent leaves the one before as it was")
    func audio() async throws {
        let pair = try await pair()
        let alice = pair.alice.controller
        let old = try #require(await alice.localAudioTrack)
        let transceiver = try await spoil(.audio, of: pair.alice)
        let other = PacedAudioSource(Tone(frequency: 660))
        let events = EventReader(alice)
        await #expect(throws: CallManagerError.self) { try await alice.startAudioRecording(source: other) }
        #expect(await alice.localAudioTrack == old)
        // A reader that compares tracks has the old one in the end.
        #expect(
            await eventually {
                var present: [WRKRTCAudioTrack] = []
                var removals = 0
                for case .localAudio(let track, let isPresent) in events.all {
                    present.removeAll { $0 == track }
                    if isPresent { present.append(track) } else { removals += 1 }
                }
                return present == [old] && removals == 1
            })
        #expect(await pair.bob.diary.ear.hears(440))
        try await mend(.audio, transceiver, of: pair.alice)
        try await alice.startAudioRecording(source: other)
        #expect(old.track.isEnded)
        #expect(await pair.bob.diary.ear.hears(660))
        try await pair.hangUp()
    }
}
