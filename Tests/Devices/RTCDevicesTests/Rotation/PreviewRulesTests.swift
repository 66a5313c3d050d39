import RTCWire
import Testing

@testable import RTCDevices

/// A preview layer with the framework's rules. What would raise an exception it writes down.
private struct FakeLayer {
    private(set) var exceptions: [String] = []
    private(set) var camera: DeviceID?
    private(set) var adjustsItself = true
    private(set) var isMirrored = false

    mutating func carryOut(_ effects: [PreviewRules.Effect]) {
        for effect in effects {
            switch effect {
            case .show(let device):
                // A session makes a new connection, which mirrors by itself, external cameras and those in front.
                // https://developer.apple.com/documentation/avfoundation/avcapturevideopreviewlayer/session
                // https://developer.apple.com/documentation/avfoundation/avcaptureconnection/automaticallyadjustsvideomirroring
                camera = device.id
                (adjustsItself, isMirrored) = (true, device.isPreviewMirroredByDefault)
            case .clear: camera = nil
            case .mirrorByItself: adjustsItself = true
            case .mirror(let wish):
                // Without a session there is no connection, and what it is told is lost.
                if camera == nil { exceptions.append("mirrored without a connection") }
                adjustsItself = false
                isMirrored = wish
            }
        }
    }
}

@Suite("A layer that shows a camera by itself")
struct PreviewRulesTests {
    @Test("It shows the camera that is used, mirrored as is usual for that one")
    func follows() {
        var (rules, layer) = (PreviewRules(), FakeLayer())
        for camera in [Cameras.front, Cameras.back, Cameras.display] {
            layer.carryOut(rules.handle(.using(camera)))
            #expect(layer.camera == camera.id && layer.adjustsItself && layer.isMirrored == (camera.position != .back))
        }
        layer.carryOut(rules.handle(.lost(Cameras.front)))
        #expect(layer.camera == "display")
        layer.carryOut(rules.handle(.lost(Cameras.display)))
        #expect(layer.camera == nil)
        let nothing = rules.handle(.none)
        #expect(nothing.isEmpty)
    }

    @Test("What the app wants holds for the next camera too, and may be taken back")
    func wish() {
        var (rules, layer) = (PreviewRules(), FakeLayer())
        layer.carryOut(rules.setMirrored(false))
        layer.carryOut(rules.handle(.using(Cameras.display)))
        #expect(!layer.isMirrored && !layer.adjustsItself)
        layer.carryOut(rules.handle(.using(Cameras.front)))
        let again = rules.setMirrored(false)
        #expect(!layer.isMirrored && again.isEmpty)
        layer.carryOut(rules.setMirrored(nil))
        #expect(layer.adjustsItself && layer.exceptions.isEmpty)
    }

    @Test("A camera that is opened anew has another session, which is shown")
    func opensAgain() {
        var rules = PreviewRules()
        for _ in 0..<2 {
            let effects = rules.handle(.using(Cameras.front))
            #expect(effects == [.show(Cameras.front), .mirrorByItself])
        }
        let interrupted = rules.handle(.interrupted(Cameras.front, "a call"))
        let failed = rules.handle(.failed(Cameras.front, DeviceError(.failed, "")))
        #expect(interrupted.isEmpty && failed == [.clear])
    }
}
