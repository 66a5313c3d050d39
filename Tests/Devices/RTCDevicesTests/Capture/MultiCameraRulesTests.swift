import Testing

@testable import RTCDevices

/// A session of several cameras and what may happen to it, with the framework's rules. What an app must not do it writes down.
///
/// Each rule names the page of Apple's documentation that it follows.
private struct FakeMultiSession {
    private var rules = MultiCameraRules([Cameras.front, Cameras.back])
    private(set) var isRunning = false
    private(set) var isInterrupted = false
    private(set) var hasFormats = true
    private(set) var told: [DeviceFeedEvent] = []
    private(set) var faults: [String] = []
    private var isStarted = false
    private var enabled = [true, true]

    /// Which cameras deliver: "To stop an individual camera, disable all of its connections", which saves power.
    /// https://developer.apple.com/documentation/avfoundation/avcapturemulticamsession
    var delivering: [Bool] { enabled.map { $0 && isRunning && !isInterrupted } }
    var delivers: Bool { delivering == [true, true] }

    mutating func want(_ isWanted: Bool) { want(isWanted, isWanted) }
    mutating func want(_ front: Bool, _ back: Bool) { carryOut(rules.handle(.wanted([front, back]))) }

    /// The services have died and are back: the session has stopped, and says so. What the cameras were told went with the services,
    /// for all that an app may rely on.
    /// https://developer.apple.com/documentation/avfoundation/averror-swift.struct/code/mediaserviceswerereset
    /// https://developer.apple.com/documentation/avfoundation/avcapturesession/runtimeerrornotification
    mutating func resetServices() {
        (isRunning, isStarted, hasFormats) = (false, false, false)
        carryOut(rules.handle(.failed(SessionRules.reaction(toError: -11_819, "reset"))))
    }

    /// The session has met an error, and runs no more.
    /// https://developer.apple.com/documentation/avfoundation/avcapturesession/runtimeerrornotification
    mutating func fail() {
        (isRunning, isStarted) = (false, false)
        carryOut(rules.handle(.failed(SessionRules.reaction(toError: -11_800, "broken"))))
    }

    /// An interruption stops the session, and its end starts it again; nobody else does.
    /// https://developer.apple.com/documentation/avfoundation/avcapturesession/wasinterruptednotification
    /// https://developer.apple.com/documentation/avfoundation/avcapturesession/interruptionendednotification
    mutating func interrupt() {
        isInterrupted = true
        carryOut(rules.handle(.interrupted("a call")))
    }

    mutating func endInterruption() {
        isInterrupted = false
        carryOut(rules.handle(.interruptionEnded))
    }

    mutating func pull(_ camera: MediaDevice) { carryOut(rules.handle(.disconnected(camera))) }

    private mutating func carryOut(_ steps: [MultiCameraRules.Step]) {
        for step in steps {
            switch step {
            case .useFormats:
                if isStarted { faults.append("formats are set under a running session") }
                hasFormats = true
            case .enable(let index, let isEnabled):
                if enabled[index] == isEnabled { faults.append("a camera is told what it does already") }
                enabled[index] = isEnabled
            // It blocks until the session runs: once is enough.
            // https://developer.apple.com/documentation/avfoundation/avcapturesession/startrunning()
            case .start:
                if isStarted { faults.append("it is started twice") }
                if !hasFormats { faults.append("it is started with formats that cannot run beside each other") }
                (isRunning, isStarted) = (true, true)
            case .stop:
                if !isStarted { faults.append("it is stopped twice") }
                (isRunning, isStarted) = (false, false)
            case .tell(let event): told.append(event)
            }
        }
    }
}

@Suite("A session of several cameras")
struct MultiCameraRulesTests {
    @Test("It runs while one of its sources is started, and a camera rests whose source is not")
    func wanted() {
        var session = FakeMultiSession()
        for wanted in [0b00, 0b01, 0b01, 0b11, 0b10, 0b00, 0b11] {
            let (front, back) = (wanted & 0b01 != 0, wanted & 0b10 != 0)
            session.want(front, back)
            #expect(session.delivering == [front, back])
        }
        #expect(session.faults.isEmpty && session.told.isEmpty)
    }

    @Test("After a reset of the media services it starts again with its formats, or when somebody wants it next")
    func reset() {
        var session = FakeMultiSession()
        session.want(true)
        for _ in 1...3 {
            session.resetServices()
            #expect(session.delivers && session.hasFormats)
        }
        session.want(false)
        session.resetServices()
        #expect(!session.delivers)
        session.want(true)
        #expect(session.delivers && session.hasFormats)
        #expect(session.faults.isEmpty && session.told.isEmpty, "nobody has to do anything about it")
    }

    @Test("Any other error is told of each camera, and it stands still until a source is started once more")
    func failure() {
        var session = FakeMultiSession()
        session.want(true)
        session.fail()
        let error = DeviceError(.failed, "broken")
        #expect(!session.delivers)
        #expect(session.told == [.failed(Cameras.front, error), .failed(Cameras.back, error)])
        session.want(true)
        #expect(session.delivers)
        // What nobody wants any more after it is not stopped once again.
        session.fail()
        session.want(false)
        #expect(!session.delivers && session.faults.isEmpty)
    }

    @Test("An interruption is told and waited for; a camera that was pulled out is told")
    func interruption() {
        var session = FakeMultiSession()
        session.want(true)
        session.interrupt()
        #expect(!session.delivers && session.told.last == .interrupted(Cameras.back, "a call"))
        session.endInterruption()
        #expect(session.delivers && session.told.last == .resumed(Cameras.back))
        session.pull(Cameras.back)
        #expect(session.delivers && session.told.last == .lost(Cameras.back))
        #expect(session.faults.isEmpty)
    }
}
