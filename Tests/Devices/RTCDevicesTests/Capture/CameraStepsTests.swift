import Testing

@testable import RTCDevices

/// A capture session and its camera with the framework's rules. What would raise an exception it writes down.
private struct FakeSession {
    let isMac: Bool
    private(set) var exceptions: [String] = []
    /// The camera's: the session's preset's, or the one that was asked for.
    private(set) var format = "of the preset"
    private(set) var rate = "of the format"
    private(set) var isRunning = false
    private(set) var isLocked = false
    /// How far the output turns pictures.
    private(set) var turn = 0
    private var isConfiguring = false
    private var parts: Set<CameraSteps.Step> = []

    init(isMac: Bool) { self.isMac = isMac }

    mutating func carryOut(_ steps: [CameraSteps.Step]) {
        for step in steps {
            switch step {
            case .beginConfiguration: isConfiguring = true
            case .commitConfiguration:
                isConfiguring = false
                // A running session takes up its preset again when a change is committed, unless the camera is locked meanwhile.
                // https://developer.apple.com/documentation/avfoundation/avcapturedevice/activeformat
                if isMac, isRunning, !isLocked { (format, rate) = ("of the preset", "of the format") }
            case .addInput, .addOutput:
                parts.insert(step)
                // "Starting with the Spring 2024 iPad line, the default value of videoRotationAngle is 180 degrees for video data on
                // Front Camera (…). So clients using AVCaptureVideoDataOutput (…) should set videoRotationAngle to 0".
                // https://developer.apple.com/documentation/avfoundation/avcaptureconnection/videorotationangle
                if parts.count == 2 { turn = 180 }
            case .addPhotoOutput:
                // What is changed one by one is not one change, and pictures stop for each.
                // https://developer.apple.com/documentation/avfoundation/avcapturesession/beginconfiguration()
                if !isConfiguring { exceptions.append("an output is added outside of a configuration") }
                parts.insert(step)
            case .choosePixels, .allowMultitasking, .deliverUnrotated:
                // Connections are there when both ends are.
                // https://developer.apple.com/documentation/avfoundation/avcapturesession/addoutput(_:)
                if parts.count < 2 { exceptions.append("\(step) before there is a connection") }
                guard step == .deliverUnrotated else { break }
                // "Setting a video rotation angle for an output that does physically rotate buffers requires a lengthy configuration (…)
                // and should be done before calling" startRunning: the same page.
                if isRunning { exceptions.append("turned while it runs") }
                turn = 0
            case .usePreset:
                if !parts.contains(.addInput) { exceptions.append("a preset before there is a camera") }
                format = "of the preset"
            case .lock: isLocked = true
            case .unlock: isLocked = false
            case .useFormat, .useRate:
                // "An exception if you set this property without obtaining exclusive access (…)"
                // https://developer.apple.com/documentation/avfoundation/avcapturedevice/activeformat
                if !isLocked { exceptions.append("\(step) without the lock") }
                if step == .useFormat { (format, rate) = ("asked for", "of the format") } else { rate = "asked for" }
            case .startRunning:
                // https://developer.apple.com/documentation/avfoundation/avcapturesession/beginconfiguration()
                if isConfiguring { exceptions.append("started while it is configured") }
                // "(…) in macOS you must lock the device before calling startRunning() (…) and unlock it after", or the session's
                // preset takes the place of the format.
                // https://developer.apple.com/documentation/avfoundation/avcapturedevice/lockforconfiguration()
                if isMac, !isLocked { (format, rate) = ("of the preset", "of the format") }
                isRunning = true
            }
        }
    }

    mutating func stop() { isRunning = false }

    /// What an app does by itself.
    mutating func chooseFormat() { (format, rate) = ("the app's", "the app's") }
}

@Suite("The order in which a camera is set up")
struct CameraStepsTests {
    @Test("A format that is asked for is delivered, also when the session starts again", arguments: [true, false])
    func format(isMac: Bool) {
        var session = FakeSession(isMac: isMac)
        session.carryOut(CameraSteps.setUp(preset: nil, wantsFormat: true))
        for _ in 0..<2 {
            session.carryOut(CameraSteps.start(preset: nil, wantsFormat: true))
            #expect(session.format == "asked for" && session.rate == "asked for")
            #expect(session.isRunning && !session.isLocked && session.exceptions.isEmpty)
            session.stop()
        }
    }

    @Test("What turns pictures is the frame's angle alone, whatever the camera's connection turns them by default")
    func unturned() {
        for wantsFormat in [true, false] {
            var session = FakeSession(isMac: false)
            session.carryOut(CameraSteps.setUp(preset: nil, wantsFormat: wantsFormat))
            session.carryOut(CameraSteps.start(preset: nil, wantsFormat: wantsFormat))
            session.carryOut(CameraSteps.addPhotos(preset: nil, wantsFormat: wantsFormat))
            #expect(session.turn == 0 && session.exceptions.isEmpty)
        }
    }

    @Test("A preset is the session's own, and its rate is still what was asked for", arguments: [true, false])
    func preset(isMac: Bool) {
        var session = FakeSession(isMac: isMac)
        session.carryOut(CameraSteps.setUp(preset: .hd720, wantsFormat: true))
        session.carryOut(CameraSteps.start(preset: .hd720, wantsFormat: true))
        #expect(session.format == "of the preset" && session.rate == "asked for" && session.exceptions.isEmpty)
    }

    @Test("Photos may be taken after that, and the format stays", arguments: [true, false])
    func photos(isMac: Bool) {
        var session = FakeSession(isMac: isMac)
        session.carryOut(CameraSteps.setUp(preset: nil, wantsFormat: true))
        session.carryOut(CameraSteps.start(preset: nil, wantsFormat: true))
        session.carryOut(CameraSteps.addPhotos(preset: nil, wantsFormat: true))
        #expect(session.format == "asked for" && session.rate == "asked for")
        #expect(session.isRunning && !session.isLocked && session.exceptions.isEmpty)
    }

    @Test("A change by the app leaves the format, and one that it chooses itself holds, also from the next start on")
    func changes() {
        var session = FakeSession(isMac: true)
        session.carryOut(CameraSteps.setUp(preset: nil, wantsFormat: true))
        session.carryOut(CameraSteps.start(preset: nil, wantsFormat: true))
        session.carryOut([.beginConfiguration])
        session.carryOut(CameraSteps.endChange(preset: nil, wantsFormat: true))
        #expect(session.format == "asked for" && session.rate == "asked for")

        session.carryOut([.beginConfiguration])
        session.chooseFormat()
        session.carryOut(CameraSteps.endChange(preset: nil, wantsFormat: true, isFormatKept: false))
        #expect(session.format == "the app's" && session.rate == "the app's")
        session.stop()
        session.carryOut(CameraSteps.start(preset: nil, wantsFormat: true, isFormatApps: true))
        #expect(session.format == "the app's" && session.exceptions.isEmpty && !session.isLocked)
    }

    @Test("A camera that may deliver what it likes is not locked")
    func anything() {
        var session = FakeSession(isMac: true)
        session.carryOut(CameraSteps.setUp(preset: nil, wantsFormat: false))
        #expect(!CameraSteps.start(preset: nil, wantsFormat: false).contains(.lock))
        session.carryOut(CameraSteps.start(preset: nil, wantsFormat: false))
        #expect(session.isRunning && session.exceptions.isEmpty)
    }
}
