import RTC
import RTCFrames
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("Bitrates in a call", .timeLimit(.minutes(2)))
struct CallBitrateTests {
    private static func config(video: Int) -> Config {
        Config(
            connectionTimeout: 20,
            video: BitrateConfig(
                minBitrate: 100_000, maxBitrate: 6_000_000, startBitrate: video, bitrateStepUp: 0.15,
                bitrateStepDown: 0.15, bitrateStepCriticalDown: 0.5, criticalPacketLossThreshold: 0.1,
                highPacketLossThreshold: 0.05, lowPacketLossThreshold: 0.01))
    }

    private func sending(_ caller: Caller, _ kind: MediaKind) async -> SendingState? {
        await caller.controller.manager.connection?.sending.withLock { $0[kind] }
    }

    @Test("A call begins with the start bitrates, and the picture is scaled to its bitrate")
    func start() async throws {
        let pair = try await CallPair(config: Self.config(video: 100_000)) { options in
            options.sources.camera = PacedVideoSource(TestPattern(width: 640, height: 480), framesPerSecond: 15)
        }
        try await pair.alice.controller.startRecording()
        try await pair.alice.controller.startVideoRecording()
        try await pair.alice.call(pair.bob)
        #expect(
            await eventually { await sending(pair.alice, .audio)?.transceiver?.sender.parameters.maxBitrate != nil })
        let audio = await sending(pair.alice, .audio)?.transceiver?.sender.parameters
        #expect(audio?.maxBitrate?.bitsPerSecond == 16_000)
        #expect(await pair.bob.diary.wait(for: "remote video"))
        let eye = Eye()
        pair.bob.diary.remoteVideo?.add(eye)
        // 480 rows 15 times a second want 147,000 bits per second.
        #expect(await eventually { eye.size.map { $0 == (426, 320) } ?? false }, "\(String(describing: eye.size))")
        let video = await sending(pair.alice, .video)?.transceiver?.sender.parameters
        #expect((100_000..<147_000).contains(video?.maxBitrate?.bitsPerSecond ?? 0))
        // That is the engine's choice: the kit sets the rate alone.
        #expect(video?.scaleResolutionDownBy == 1)
        try await pair.hangUp()
    }

    @Test("Bug 2: Where nothing gets lost the bitrate goes up; while a camera pauses it stays")
    func upAndPaused() async throws {
        let camera = PausingCamera()
        let pair = try await CallPair(config: Self.config(video: 300_000)) { $0.sources.camera = camera }
        try await pair.alice.controller.startRecording()
        try await pair.alice.controller.startVideoRecording()
        try await pair.alice.call(pair.bob)
        #expect(await eventually { await sending(pair.alice, .video)?.bitrate.bitrate ?? 0 == 345_000 })
        #expect(
            await eventually {
                let parameters = await sending(pair.alice, .video)?.transceiver?.sender.parameters
                return parameters?.maxBitrate?.bitsPerSecond == 345_000
            })
        camera.pause()
        try await Task.sleep(for: .seconds(3.5))
        let report = try await pair.alice.controller.statistics()
        let before = report.outboundRTP.first { $0.kind == .video }?.packetsSent
        try await Task.sleep(for: .seconds(1.2))
        let later = try await pair.alice.controller.statistics()
        #expect(later.outboundRTP.first { $0.kind == .video }?.packetsSent == before)
        #expect(await sending(pair.alice, .video)?.bitrate.bitrate ?? 0 >= 345_000)
        try await pair.hangUp()
    }
}

/// A camera that can be held.
private final class PausingCamera: VideoSource {
    private let source = PacedVideoSource(TestPattern(width: 320, height: 192), framesPerSecond: 15)

    func start(delivering sink: any VideoSink) { source.start(delivering: sink) }
    func stop() { source.stop() }
    func pause() { source.stop() }
}
