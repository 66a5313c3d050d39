import Foundation
import RTCFrames
import Synchronization

@testable import RTCDevices

/// An iPhone's or iPad's sound with Apple's rules, or a Mac's. Where the system would raise an exception, which ends the process, it writes that
/// down; where it would refuse, it throws.
///
/// Each rule names the page of Apple's documentation that it follows.
final class FakeAudioSystem: EngineHardware, @unchecked Sendable {
    struct Port: Hashable {
        var id: String
        var rate: Double
        /// A headset by HFP plays at the rate at which it records.
        var outputRate: Double
    }

    private struct Engine {
        var form: EngineRules.Form
        var inputRate: Double
        var outputRate: Double
        var isRunning = false
        var isDead = false
        var connection: MicrophoneIntake.Connection?
        /// What its audio unit is told of devices, by its elements, and the rate at which its mixer passes sound to its output.
        var told: [UInt32: String] = [:]
        var mixerRate: Double?
    }

    // Everything is within the lock, but for what is told.
    private let lock = NSRecursiveLock()
    private var report: (@Sendable (EngineEvent) -> Void)?
    private var engine: Engine?
    private var mix: PlayoutMix?
    private var hasCategory = false
    private var isActive = false
    private var preferred: String?
    /// On which an engine's notification is told just now.
    private var notifying: Thread?

    /// What ends a process.
    private(set) var exceptions: [String] = []
    private(set) var refusals = 0
    private(set) var timesBuilt = 0
    /// How often the session was activated by the engine, and not by CallKit.
    private(set) var timesActivated = 0
    /// Connected last: the first.
    private(set) var ports: [Port]
    private(set) var isInterrupted = false
    private(set) var isLost = false
    /// Whether CallKit activates the session.
    private(set) var isCallKits = false
    private var isBroken = false
    private var outputLatency = 0.0

    let prefersInputs: Bool
    static let builtIn = Port(id: "builtin", rate: 48_000, outputRate: 48_000)

    init(prefersInputs: Bool = true, ports: [Port] = [builtIn]) {
        self.prefersInputs = prefersInputs
        self.ports = ports
    }

    // MARK: What a test looks at

    var isRunning: Bool { lock.withLock { engine?.isRunning == true && engine?.isDead == false } }
    var isRecording: Bool { lock.withLock { isRunning && engine?.form.input != nil } }
    var isPlaying: Bool { lock.withLock { isRunning && engine?.form.hasOutput == true } }
    var cancelsEcho: Bool { lock.withLock { isRunning && engine?.form.input?.isProcessed == true } }
    var isSessionActive: Bool { lock.withLock { isActive } }
    var port: String? { lock.withLock { currentPort?.id } }

    private var currentPort: Port? {
        guard hasCategory, !isLost else { return nil }
        if !prefersInputs, let device = engine?.form.input?.device { return ports.first { $0.id == device } }
        return ports.first { $0.id == preferred } ?? ports.first
    }

    // MARK: What happens to it

    /// A port comes: the system routes to what was connected last.
    /// https://developer.apple.com/documentation/avfaudio/responding-to-audio-route-changes
    func plug(_ port: Port) { change { ports.insert(port, at: 0) } }

    /// A port goes, and with it the preference for it.
    /// https://developer.apple.com/documentation/avfaudio/avaudiosession/setpreferredinput(_:)
    func pull(_ id: String) {
        change {
            ports.removeAll { $0.id == id }
            if preferred == id { preferred = nil }
        }
    }

    /// The rate changes, such as when HFP begins, or when a person sets it on a Mac.
    func setRate(_ rate: Double, of id: String) {
        change {
            for index in ports.indices where ports[index].id == id { ports[index].rate = rate }
        }
    }

    /// An engine whose input or output has another form stops, and says so; what is connected stays as it was.
    /// https://developer.apple.com/documentation/avfaudio/avaudioengineconfigurationchangenotification
    private func change(_ body: () -> Void) {
        let stops = lock.withLock {
            let before = currentPort
            body()
            guard before != currentPort, engine != nil, engine?.isDead == false else { return false }
            engine?.isRunning = false
            return true
        }
        notify(.routeChanged)
        if stops { notify(.configurationChanged) }
    }

    /// Somebody else has the sound: the session is not active any more, and the engine stands.
    /// https://developer.apple.com/documentation/avfaudio/handling-audio-interruptions
    func interrupt(tells: Bool = true) {
        lock.withLock {
            (isInterrupted, isActive) = (true, false)
            engine?.isRunning = false
        }
        if tells { notify(.interrupted) }
    }

    /// "There is no guarantee that a begin interruption will have a corresponding end interruption."
    /// https://developer.apple.com/documentation/avfaudio/avaudiosession/interruptionnotification
    func endInterruption(tells: Bool = true) {
        lock.withLock { isInterrupted = false }
        if tells { notify(.interruptionEnded) }
    }

    func comeToFront() { notify(.enteredForeground) }

    /// The media server has died: nothing works, and every object is dead.
    /// https://developer.apple.com/documentation/avfaudio/avaudiosession/mediaserviceswerelostnotification
    func loseServices() {
        lock.withLock {
            (isLost, isActive, hasCategory, preferred) = (true, false, false, nil)
            engine?.isRunning = false
            engine?.isDead = true
        }
        notify(.servicesLost)
    }

    /// "Dispose of orphaned audio objects (…) and create new audio objects", and set the session up again.
    /// https://developer.apple.com/documentation/avfaudio/avaudiosession/mediaserviceswereresetnotification
    func resetServices() {
        lock.withLock { isLost = false }
        notify(.servicesReset)
    }

    /// Calls of the system's own list activate the session themselves, at a priority of theirs; an app does not.
    /// https://developer.apple.com/documentation/callkit/cxproviderdelegate/provider(_:didactivate:)
    func callKit(activates: Bool?) {
        lock.withLock {
            isCallKits = activates != nil
            isActive = activates == true
            if activates == true { isInterrupted = false }
            if !isActive { engine?.isRunning = false }
        }
    }

    /// The same port takes another time, as after a change of its codec.
    func setOutputLatency(_ latency: Double) { lock.withLock { outputLatency = latency } }

    func setBroken(_ isBroken: Bool) { lock.withLock { self.isBroken = isBroken } }

    private func notify(_ event: EngineEvent) {
        let report = lock.withLock {
            notifying = Thread.current
            return self.report
        }
        report?(event)
        lock.withLock { notifying = nil }
    }

    // MARK: The sound card's thread

    /// Records and plays so many milliseconds.
    ///
    /// - Returns: The loudest that is played.
    @discardableResult
    func run(milliseconds: Int, recording value: Float = 0.25) -> Float {
        let (engine, mix) = lock.withLock { (self.engine, self.mix) }
        guard let engine, engine.isRunning else { return 0 }
        var loudest: Float = 0
        for _ in 0..<milliseconds / 10 {
            if let connection = engine.connection {
                let samples = [Float](repeating: value, count: Int(engine.inputRate) / 100)
                samples.withUnsafeBufferPointer { connection.take($0) }
            }
            if engine.form.hasOutput, let mix {
                var samples = [Float](repeating: 0, count: PlayoutMix.sampleRate / 100)
                samples.withUnsafeMutableBufferPointer { _ = mix.fill($0) }
                loudest = max(loudest, samples.max() ?? 0)
            }
        }
        return loudest
    }

    // MARK: EngineHardware

    var route: EngineRoute {
        lock.withLock {
            EngineRoute(
                inputRate: currentPort?.rate ?? 0, outputRate: currentPort?.outputRate ?? 48_000,
                inputLatency: currentPort == Self.builtIn ? 0.01 : 0.05, outputLatency: outputLatency)
        }
    }

    func observe(_ report: @escaping @Sendable (EngineEvent) -> Void) { lock.withLock { self.report = report } }

    func prepareSession() throws(DeviceError) {
        try perform { system in
            if system.isLost { return "no media services" }
            system.hasCategory = true
            return nil
        }
    }

    /// "Deactivating your session fails (…) if any associated audio objects are running I/O"; while another session with a higher
    /// priority is active, activating fails.
    /// https://developer.apple.com/documentation/avfaudio/avaudiosession/setactive(_:options:)
    func setActive(_ isActive: Bool) throws(DeviceError) {
        try perform { system in
            if system.isCallKits { system.exceptions.append("the session of CallKit's call is activated by the app") }
            if isActive, system.isInterrupted || system.isLost { return "somebody else is active" }
            if !isActive, system.engine?.isRunning == true {
                system.exceptions.append("the session is deactivated under a running engine")
            }
            system.isActive = isActive
            if isActive { system.timesActivated += 1 }
            return nil
        }
    }

    /// "You must set a preferred input port only after setting the audio session's category and mode and activating the session",
    /// and only one of the available inputs.
    /// https://developer.apple.com/documentation/avfaudio/avaudiosession/setpreferredinput(_:)
    func preferInput(_ device: String?) throws(DeviceError) {
        try perform { system in
            if !system.isActive { system.exceptions.append("an input is preferred while the session is not active") }
            guard device == nil || system.ports.contains(where: { $0.id == device }) else { return "no such port" }
            system.preferred = device
            return nil
        }
    }

    func hasInput(_ device: String?) -> Bool {
        lock.withLock { device == nil ? !ports.isEmpty : ports.contains { $0.id == device } }
    }

    /// Voice processing is for an engine that stands still, and an input without a rate or channels is not connected: exceptions.
    /// https://developer.apple.com/documentation/avfaudio/avaudioionode/setvoiceprocessingenabled(_:)
    /// https://developer.apple.com/documentation/avfaudio/avaudioengine/connect(_:to:format:)
    func build(
        _ form: EngineRules.Form, recordingTo intake: MicrophoneIntake, playing mix: PlayoutMix
    ) throws(DeviceError) {
        try perform { system in
            if system.engine != nil { system.exceptions.append("two engines with voice processing in one process") }
            guard !system.isLost else { return "no media services" }
            let port =
                system.prefersInputs
                ? system.currentPort : system.ports.first { $0.id == form.input?.device } ?? system.currentPort
            guard form.input == nil || (port?.rate ?? 0) > 0 else { return "no input" }
            system.timesBuilt += 1
            var engine = Engine(form: form, inputRate: port?.rate ?? 0, outputRate: port?.outputRate ?? 48_000)
            if let input = form.input {
                engine.connection = intake.connect(sampleRate: Int(engine.inputRate))
                if let device = input.device {
                    engine.told[EngineWiring.microphoneElement(isProcessed: input.isProcessed)] = device
                }
                engine.mixerRate = form.hasOutput ? EngineWiring.mixerRate(form, inputRate: engine.inputRate) : nil
            }
            (system.engine, system.mix) = (engine, mix)
            return nil
        }
    }

    /// What is connected with another rate than the hardware's does not start, nor does anything without an active session.
    /// https://developer.apple.com/documentation/avfaudio/avaudioengine/start()
    func start() throws(DeviceError) {
        try perform { system in
            guard let engine = system.engine else {
                system.exceptions.append("there is no engine to start")
                return nil
            }
            if engine.isDead { system.exceptions.append("an engine from before the reset is used") }
            if !system.isActive { system.exceptions.append("an engine starts before the session is active") }
            let hasRate = engine.form.input == nil || engine.inputRate == (system.currentPort?.rate ?? 0)
            if !hasRate { system.exceptions.append("an engine starts with the connections of another rate") }
            if system.isInterrupted || system.isLost || system.isBroken { return "somebody else has the microphone" }
            if let refusal = Self.refusal(of: engine) { return refusal }
            system.engine?.isRunning = true
            return nil
        }
    }

    /// A unit that processes voices is told its microphone on element 1, and its loudspeaker on element 0; any other one its device on
    /// element 0.
    /// https://forums.developer.apple.com/message/157883
    /// https://developer.apple.com/library/archive/technotes/tn2091/_index.html
    ///
    /// Apple's own example connects both sides of it with one format.
    /// https://developer.apple.com/documentation/avfaudio/using-voice-processing
    private static func refusal(of engine: Engine) -> String? {
        guard let input = engine.form.input else { return nil }
        let (microphone, loudspeaker) = input.isProcessed ? (engine.told[1], engine.told[0]) : (engine.told[0], nil)
        if loudspeaker != nil { return "a microphone is to play" }
        if microphone != input.device { return "another microphone than was asked for" }
        let passed = engine.mixerRate ?? engine.outputRate
        return input.isProcessed && engine.form.hasOutput && passed != engine.inputRate ? "error -10875" : nil
    }

    func stop() { lock.withLock { engine?.isRunning = false } }

    /// An engine is not let go of in its own notification: a deadlock.
    /// https://developer.apple.com/documentation/avfaudio/avaudioengineconfigurationchangenotification
    func release() {
        lock.withLock {
            if notifying === Thread.current { exceptions.append("an engine is released in its notification") }
            if engine?.isRunning == true { exceptions.append("an engine is released while it runs") }
            engine = nil
        }
    }

    /// - Parameter work: Why it is refused; `nil` if it is not.
    private func perform(_ work: (FakeAudioSystem) -> String?) throws(DeviceError) {
        let refusal = lock.withLock { work(self) }
        guard let refusal else { return }
        lock.withLock { refusals += 1 }
        throw DeviceError(.busy, refusal)
    }
}
