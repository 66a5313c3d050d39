import RTCFrames
import RTCMediaFiles
import RTCWire
import Testing

@testable import RTCDevices

@Suite("A film of a camera that was plugged in", .timeLimit(.minutes(1)))
struct CameraFilmTests {
    /// What follows is as a camera app has it (WWDC 2023, session 10106): no switch in the middle of a film, and the camera that
    /// the system prefers meanwhile right after it.
    @Test("The film has one camera, whatever is plugged in or chosen meanwhile; what was chosen follows it")
    func film() async throws {
        #if os(Linux)
            let name = "film.webm"
        #else
            let name = "film.mov"
        #endif
        let folder = try TemporaryFolder()
        let (front, display) = (SeenDevice.camera("front", .front), SeenDevice.camera("display", kind: .external))
        let discovery = FakeDiscovery([front, display])
        let (devices, capture) = (try DeviceList(backend: discovery), FakeCapture())
        let selector = CameraSelector(devices: devices, policy: .camera, preference: nil)
        selector.choose("display")
        let feed = CameraFeed(
            selector,
            system: DeviceSystem(
                authorization: FakeAuthorization(), discovery: { FakeDiscovery() }, capture: capture, rotation: nil)
        )
        let recorder = try MediaRecorder(path: folder.path + "/" + name, hasAudio: false)
        recorder.hold(selector)
        feed.start(delivering: recorder)
        await feed.settled()
        for number in 0..<5 {
            capture.cameras.first?.shoot()
            if number == 2 {
                selector.choose("front")
                discovery.plug(.camera("webcam", kind: .external))
                discovery.flush()
                await feed.settled()
            }
            try await Task.sleep(for: .milliseconds(40))
        }
        #expect(feed.device?.id == "display" && capture.opened == ["display"] && selector.choice.pending != nil)
        try await recorder.finish()
        await feed.settled()
        #expect(capture.cameras.map(\.device.id) != ["display"] && selector.choice.pending == nil)
        #expect(try folder.files(in: "") == [name] && recorder.dropped == 0)
    }
}
