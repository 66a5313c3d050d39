import RTC
import RTCFrames
import Testing

@testable import WebRTCKit

@Suite("Video of a call", .timeLimit(.minutes(2)))
struct VideoTests {
    @Test("Video that was started before the call is there from its beginning")
    func before() async throws {
        let pair = try await CallPair()
        try await pair.alice.controller.startRecording()
        try await pair.alice.controller.startVideoRecording()
        try await pair.bob.controller.startVideoRecording()
        try await pair.alice.call(pair.bob)
        let (left, right) = (Eye(), Eye())
        #expect(await pair.alice.diary.wait(for: "remote video"))
        #expect(await pair.bob.diary.wait(for: "remote video"))
        pair.alice.diary.remoteVideo?.add(left)
        pair.bob.diary.remoteVideo?.add(right)
        #expect(await left.sees())
        #expect(await right.sees())
        // The callee's is in the answer.
        #expect(pair.server.offers() == 0)
        try await pair.hangUp()
    }

    @Test("Bug 6: Stopping video is told to the other side, which may be seen again later")
    func stopped() async throws {
        let pair = try await CallPair.running()
        try await pair.alice.controller.startVideoRecording()
        #expect(await pair.bob.diary.wait(for: "remote video"))
        let first = try #require(pair.bob.diary.remoteVideo)
        for times in 1...3 {
            try await pair.alice.controller.stopVideoRecording()
            #expect(await pair.bob.diary.wait(for: "remote video removed", times: times))
            #expect(await pair.alice.controller.localVideoTrack == nil)
            try await pair.alice.controller.startVideoRecording()
            #expect(await pair.bob.diary.wait(for: "remote video", times: times + 1))
        }
        let eye = Eye()
        pair.bob.diary.remoteVideo?.add(eye)
        #expect(await eye.sees())
        // Toggling the camera does not make descriptions grow.
        #expect(pair.bob.diary.remoteVideo == first)
        #expect(pair.server.offers() == 7)
        try await pair.hangUp()
    }

    @Test("Muting sends silence and black pictures, and says nothing of it to the other side")
    func muted() async throws {
        let pair = try await CallPair()
        try await pair.alice.controller.startRecording()
        try await pair.alice.controller.startVideoRecording()
        try await pair.alice.call(pair.bob)
        #expect(await pair.bob.diary.wait(for: "remote video"))
        #expect(await pair.bob.diary.ear.hears(440))
        let eye = Eye()
        pair.bob.diary.remoteVideo?.add(eye)
        #expect(await eye.sees())
        let count = pair.server.log.count
        let (audio, video) = (pair.alice.diary.localAudio, pair.alice.diary.localVideo)
        audio?.isEnabled = false
        video?.isEnabled = false
        #expect(await eventually { pair.bob.diary.ear.isSilent })
        #expect(await eventually { eye.frames > eye.readable })
        audio?.isEnabled = true
        video?.isEnabled = true
        #expect(await eventually { !pair.bob.diary.ear.isSilent })
        #expect(await eye.sees())
        #expect(pair.server.log.count == count)
        try await pair.hangUp()
    }

    @Test("Silencing the other side's track is heard here alone")
    func silenced() async throws {
        let pair = try await CallPair.running()
        #expect(await pair.bob.diary.ear.hears(440))
        let track = try #require(pair.bob.diary.remoteAudio)
        track.isEnabled = false
        try await Task.sleep(for: .milliseconds(50))
        let frames = pair.bob.diary.ear.frames
        try await Task.sleep(for: .milliseconds(100))
        #expect(pair.bob.diary.ear.frames == frames)
        #expect(await pair.alice.diary.ear.hears(880))
        track.isEnabled = true
        #expect(await eventually { pair.bob.diary.ear.frames > frames })
        try await pair.hangUp()
    }

    @Test("Another source takes over in mid-call without an offer, muted if the one before was")
    func replaced() async throws {
        let pair = try await CallPair.running()
        try await pair.alice.controller.startVideoRecording()
        #expect(await pair.bob.diary.wait(for: "remote video"))
        let eye = Eye()
        pair.bob.diary.remoteVideo?.add(eye)
        #expect(await eye.sees())
        let offers = pair.server.offers()
        let other = PacedVideoSource(TestPattern(width: 160, height: 96), framesPerSecond: 20)
        try await pair.alice.controller.startVideoRecording(source: other)
        #expect(await eventually { eye.size.map { $0 == (160, 96) } ?? false })
        #expect(await pair.alice.diary.wait(for: "local video removed"))
        // Once more changes nothing.
        try await pair.alice.controller.startVideoRecording(source: other)
        #expect(pair.alice.diary.count("local video") == 2)
        pair.alice.diary.localVideo?.isEnabled = false
        try await pair.alice.controller.startVideoRecording(
            source: PacedVideoSource(TestPattern(width: 320, height: 192), framesPerSecond: 20))
        #expect(await eventually { pair.alice.diary.count("local video") == 3 })
        #expect(pair.alice.diary.localVideo?.isEnabled == false)
        #expect(pair.server.offers() == offers)
        try await pair.hangUp()
    }

    @Test("Where there is no microphone and no camera, recording says what to do")
    func nothingToRecord() async throws {
        let server = InMemoryServer()
        let alice = try await Caller("alice", server) { $0.sources = MediaSources() }
        for start in [
            { try await alice.controller.startRecording() }, { try await alice.controller.startVideoRecording() },
        ] as [@Sendable () async throws -> Void] {
            do {
                try await start()
                Issue.record("it records")
            } catch CallManagerError.deviceUnavailable(let error) {
                #expect(error.code == .notFound)
                #expect(error.message.contains("Options.sources"))
            }
        }
        let bob = try await Caller("bob", server)
        try await bob.controller.startRecording()
        try await bob.call(alice)
        #expect(await alice.diary.ear.hears(440))
        try await bob.hangUp(alice)
    }

    @Test("The camera starts with the microphone if the options say so")
    func startsWithVideo() async throws {
        let pair = try await CallPair { $0.startsWithVideo = true }
        try await pair.alice.controller.startRecording()
        #expect(await pair.alice.diary.wait(for: "local video"))
        #expect(pair.alice.diary.words == ["local audio", "local video"])
        try await pair.alice.controller.stopRecording()
        #expect(await pair.alice.controller.localAudioTrack == nil)
        #expect(await pair.alice.controller.localVideoTrack == nil)
    }
}
