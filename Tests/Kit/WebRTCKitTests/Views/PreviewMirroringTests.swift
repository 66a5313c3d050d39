import RTC
import RTCDevices
import Testing

@testable import WebRTCKit

@Suite("Whether a preview is mirrored", .timeLimit(.minutes(2)))
@MainActor
struct PreviewMirroringTests {
    private let machine = FakeMachine()
    private final class Shown { var isMirrored: Bool? }
    private let shown = Shown()

    private func becomes(_ isMirrored: Bool) async -> Bool {
        for _ in 0..<500 where shown.isMirrored != isMirrored { try? await Task.sleep(for: .milliseconds(10)) }
        return shown.isMirrored == isMirrored
    }

    @Test("It follows the camera where the app has not said, and the app where it has")
    func follows() async throws {
        machine.camera("front", 80, position: .front)
        machine.camera("back", 20, position: .back)
        let devices = try MediaDevices(system: machine.system)
        let mirroring = PreviewMirroring { [shown] in shown.isMirrored = $0 }
        mirroring.camera = devices.camera
        #expect(shown.isMirrored == true)
        devices.camera.start(delivering: Eye())
        await devices.camera.settled()
        devices.cameras.switchCamera()
        #expect(await becomes(false))
        mirroring.preference = true
        #expect(shown.isMirrored == true)
        mirroring.preference = nil
        #expect(shown.isMirrored == false)
        devices.cameras.switchCamera()
        #expect(await becomes(true))
        // What others send, and what no camera makes, is as it is.
        mirroring.camera = nil
        #expect(shown.isMirrored == false)
        devices.camera.stop()
    }
}
