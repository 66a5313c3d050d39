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
    private var isConfiguring = false
    private var parts: Set<CameraSteps.Step> = []

    init(isMac: Bool) { self.isMac = isMac }

    mutating func carryOut(_ steps: [CameraSteps.Step]) {
        for step in steps {
            switch step {
            case .beginConfiguration: isConfiguring = true
            case .commitConfiguration: isConfiguring = false
            case .addInput, .addOutput: parts.insert(step)
            case .choosePixels, .allowMultitasking:
                // Connections are there when both ends are.
                // https://developer.apple.com/documentation/avfoundation/avcapturesession/addoutput(_:)
                if parts.count < 2 { exceptions.append("\(step) before there is a connection") }
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

    @Test("A preset is the session's own, and its rate is still what was asked for", arguments: [true, false])
    func preset(isMac: Bool) {
        var session = FakeSession(isMac: isMac)
        session.carryOut(CameraSteps.setUp(preset: .hd720, wantsFormat: true))
        session.carryOut(CameraSteps.start(preset: .hd720, wantsFormat: true))
        #expect(session.format == "of the preset" && session.rate == "asked for" && session.exceptions.isEmpty)
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
