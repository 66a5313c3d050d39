import RTC
import RTCFrames
import Synchronization
import Testing

@testable import WebRTCKit

/// A capturer of a screen, say: it makes grey pictures, each lighter than the one before.
private final class CountingCapturer: RTCVideoCapturer {
    func capture(width: Int32, height: Int32, grey: UInt8) {
        let (half, count) = (Int((width + 1) / 2) * Int((height + 1) / 2), Int(width * height))
        let buffer = RTCI420Buffer(
            width: width, height: height, y: [UInt8](repeating: grey, count: count),
            u: [UInt8](repeating: 128, count: half), v: [UInt8](repeating: 128, count: half))
        guard let buffer else { return }
        delegate?.capturer(
            self,
            didCapture: RTCVideoFrame(buffer: buffer, rotation: ._0, timeStampNs: MediaClock.now.nanoseconds))
    }
}

/// Sees how bright pictures are.
private final class LightMeter: VideoSink {
    private let state = Mutex<(brightness: UInt8, width: Int)?>(nil)

    func deliver(_ frame: VideoFrame) {
        guard let picture = frame.buffer as? I420Buffer else { return }
        let brightness = picture.withPlanes { $0.y.row($0.y.height / 2)[$0.y.width / 2] }
        state.withLock { $0 = (brightness, frame.width) }
    }

    var brightness: Int? { state.withLock { $0.map { Int($0.brightness) } } }
    var width: Int? { state.withLock { $0?.width } }
}

@Suite("Capturers of an app's own", .timeLimit(.minutes(2)))
struct CapturerTests {
    @Test("Bug 9: What a capturer captures is sent, and no camera is needed")
    func captured() async throws {
        let pair = try await CallPair { $0.sources.camera = nil }
        let capturer = CountingCapturer()
        try await pair.alice.controller.startRecording(videoCapturer: capturer)
        #expect(await pair.alice.diary.wait(for: "local audio"))
        #expect(await pair.alice.diary.wait(for: "local video"))
        try await pair.alice.call(pair.bob)
        #expect(await pair.bob.diary.wait(for: "remote video"))
        let meter = LightMeter()
        pair.bob.diary.remoteVideo?.add(meter)
        for grey in [UInt8(60), 180] {
            let isSeen = await eventually {
                capturer.capture(width: 320, height: 180, grey: grey)
                try? await Task.sleep(for: .milliseconds(20))
                return meter.brightness.map { abs($0 - Int(grey)) < 8 } ?? false
            }
            #expect(isSeen)
        }
        #expect(meter.width == 320)
        #expect(await pair.bob.diary.ear.hears(440))
        // The same capturer once more changes nothing.
        try await pair.alice.controller.startVideoRecording(videoCapturer: capturer)
        #expect(pair.alice.diary.count("local video") == 1)
        try await pair.alice.controller.stopVideoRecording()
        #expect(capturer.delegate == nil)
        try await pair.hangUp()
    }

    @Test("Another capturer takes over in mid-call without an offer; the one before is let go of")
    func replaced() async throws {
        let pair = try await CallPair { $0.sources = MediaSources() }
        let second = CountingCapturer()
        weak var first: CountingCapturer?
        try await pair.alice.call(pair.bob)
        do {
            // An app need not keep its capturer.
            let capturer = CountingCapturer()
            first = capturer
            try await pair.alice.controller.startVideoRecording(videoCapturer: capturer)
        }
        #expect(first != nil)
        #expect(await pair.bob.diary.wait(for: "remote video"))
        #expect(await eventually { pair.server.offers() == 1 })
        try await pair.alice.controller.startVideoRecording(videoCapturer: second)
        #expect(await eventually { first == nil })
        let meter = LightMeter()
        pair.bob.diary.remoteVideo?.add(meter)
        let isSeen = await eventually {
            second.capture(width: 160, height: 96, grey: 200)
            try? await Task.sleep(for: .milliseconds(20))
            return meter.brightness.map { abs($0 - 200) < 8 } ?? false
        }
        #expect(isSeen)
        #expect(pair.server.offers() == 1)
        try await pair.hangUp()
    }

    @Test("After a capturer the camera is sent again, and after a source the microphone, without an offer")
    func backToDevices() async throws {
        let pair = try await CallPair()
        let capturer = CountingCapturer()
        let controller = pair.alice.controller
        try await controller.startAudioRecording(source: PacedAudioSource(Tone(frequency: 880)))
        try await controller.startVideoRecording(videoCapturer: capturer)
        try await pair.alice.call(pair.bob)
        #expect(await pair.bob.diary.wait(for: "remote video"))
        let meter = LightMeter()
        pair.bob.diary.remoteVideo?.add(meter)
        let isSeen = await eventually {
            capturer.capture(width: 160, height: 96, grey: 200)
            try? await Task.sleep(for: .milliseconds(20))
            return meter.width == 160
        }
        #expect(isSeen)
        #expect(await pair.bob.diary.ear.hears(880))
        let offers = pair.server.offers()
        try await controller.startVideoRecording()
        try await controller.startRecording()
        #expect(await eventually { capturer.delegate == nil })
        #expect(await eventually { meter.width.map { $0 != 160 } ?? false })
        #expect(await pair.bob.diary.ear.hears(440))
        // Once more, nothing changes.
        let count = pair.alice.diary.count("local video")
        try await controller.startVideoRecording()
        #expect(pair.alice.diary.count("local video") == count)
        #expect(pair.server.offers() == offers)
        try await pair.hangUp()
    }
}
