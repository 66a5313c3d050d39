import RTCFrames
import Testing

@testable import RTCDevices

/// A machine with the framework's rules, and an engine that follows ``EngineRules``, without a queue: each step at once.
private struct Machine {
    let system: FakeAudioSystem
    private var rules: EngineRules
    private let intake = MicrophoneIntake()
    private let mix = PlayoutMix()
    private(set) var events: [CaptureEvent] = []
    private(set) var notices: [EngineNotice] = []
    private(set) var waits: [(number: Int, seconds: Double)] = []

    init(_ system: FakeAudioSystem = FakeAudioSystem()) {
        self.system = system
        rules = EngineRules(prefersInputs: system.prefersInputs)
    }

    mutating func handle(_ event: EngineRules.Event) {
        rules.handle(event, system.route)
        var steps = 0
        while let step = rules.next() {
            steps += 1
            guard steps < 100 else {
                Issue.record("it does not come to rest: \(step)")
                return
            }
            rules.stepCompleted(step, carryOut(step), system.route)
        }
    }

    private mutating func carryOut(_ step: EngineRules.Step) -> Result<Void, DeviceError> {
        do throws(DeviceError) {
            switch step {
            case .prepareSession: try system.prepareSession()
            case .setActive(let isActive): try system.setActive(isActive)
            case .preferInput(let device): try system.preferInput(device)
            case .build(let form): try system.build(form, recordingTo: intake, playing: mix)
            case .start: try system.start()
            case .stop: system.stop()
            case .release: system.release()
            case .tell(_, let event): events.append(event)
            case .notifyAll(let notice): notices.append(notice)
            case .wait(let number, let seconds): waits.append((number, seconds))
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// The longest wait is over.
    mutating func passTime() { if let last = waits.last { handle(.waited(last.number)) } }

    mutating func record(_ client: Int = 1, _ device: String? = nil, staysAttached: Bool = false) {
        handle(.recorderAdded(client, EngineRules.Recorder(device: device, staysAttached: staysAttached)))
    }

    /// Something happens to the system, which tells it.
    mutating func happen(_ told: [EngineEvent], _ what: (FakeAudioSystem) -> Void) {
        what(system)
        for event in told { handle(.engine(event)) }
    }

    mutating func setRate(_ rate: Double) {
        happen([.routeChanged, .configurationChanged]) { $0.setRate(rate, of: FakeAudioSystem.builtIn.id) }
    }
}

@Suite("The rules of an audio engine")
struct EngineRulesTests {
    @Test("It goes on when the route is another one, and is built anew only for another rate")
    func route() {
        var machine = Machine()
        machine.record()
        machine.happen([.routeChanged, .configurationChanged]) { _ in }
        #expect(machine.system.isRecording && machine.system.timesBuilt == 1)
        for (number, rate) in [16_000.0, 24_000, 44_100, 48_000].enumerated() {
            machine.setRate(rate)
            #expect(machine.system.isRecording && machine.system.timesBuilt == number + 2)
        }
        machine.handle(.recorderRemoved(1))
        machine.setRate(16_000)
        #expect(!machine.system.isRunning && machine.system.timesBuilt == 5)
        machine.record(2)
        #expect(machine.system.isRecording && machine.system.refusals == 0 && machine.system.exceptions.isEmpty)
    }

    @Test(
        "While it is interrupted it is not started, whatever happens; afterwards it goes on, with the rate that there is"
    )
    func interruption() {
        var machine = Machine()
        machine.record()
        for _ in 0..<2 { machine.happen([.interrupted]) { $0.interrupt(tells: false) } }
        machine.setRate(16_000)
        machine.handle(.recorderRemoved(1))
        machine.record(2)
        machine.setRate(0)
        machine.setRate(24_000)
        for _ in 0..<2 { machine.happen([.interruptionEnded]) { $0.endInterruption(tells: false) } }
        #expect(machine.system.isRecording && machine.system.refusals == 0 && machine.system.exceptions.isEmpty)
        #expect(machine.events.count == 3 && machine.events.last == .resumed)
        #expect(machine.notices.filter { $0 == .interrupted || $0 == .resumed } == [.interrupted, .resumed])
    }

    @Test("A route of the same rates with another latency is told, once, and the engine runs on")
    func latency() {
        var machine = Machine()
        machine.handle(.playerAdded(1))
        func told() -> [Double] {
            machine.notices.compactMap { if case .route(let route) = $0 { route.outputLatency } else { nil } }
        }
        for latency in [0.18, 0.18, 0.02] { machine.happen([.routeChanged]) { $0.setOutputLatency(latency) } }
        #expect(told() == [0, 0.18, 0.02])
        #expect(machine.system.isPlaying && machine.system.timesBuilt == 1 && machine.system.exceptions.isEmpty)
        machine.handle(.playerRemoved(1))
        machine.happen([.routeChanged]) { $0.setOutputLatency(0.3) }
        #expect(told().count == 3)
    }

    @Test("An interruption whose end is never told is over when the app is in front again")
    func noEnd() {
        var machine = Machine()
        machine.record()
        machine.happen([.interrupted]) { $0.interrupt(tells: false) }
        machine.system.endInterruption(tells: false)
        #expect(!machine.system.isRunning)
        machine.handle(.engine(.enteredForeground))
        #expect(machine.system.isRecording)
    }

    @Test("Who plays and who records share an engine that cancels the echo; who plays alone has no microphone")
    func duplex() {
        var machine = Machine()
        machine.handle(.playerAdded(1))
        #expect(machine.system.isPlaying && !machine.system.isRecording && !machine.system.cancelsEcho)
        machine.record(2)
        #expect(machine.system.isPlaying && machine.system.isRecording && machine.system.cancelsEcho)
        machine.handle(.playerRemoved(1))
        machine.handle(.playerAdded(3))
        #expect(machine.system.timesBuilt == 2)
        // The microphone is let go of a moment after its last user.
        machine.handle(.recorderRemoved(2))
        #expect(machine.system.isRecording)
        machine.passTime()
        #expect(machine.system.isPlaying && !machine.system.isRecording)
        machine.handle(.playerRemoved(3))
        #expect(!machine.system.isRunning && !machine.system.isSessionActive)
        #expect(machine.system.exceptions.isEmpty)
    }

    @Test("A change of microphones while somebody listens is no change of engines")
    func otherMicrophone() {
        var machine = Machine()
        machine.system.plug(FakeAudioSystem.Port(id: "usb", rate: 48_000, outputRate: 48_000))
        machine.handle(.playerAdded(1))
        machine.record(2, "usb")
        machine.handle(.recorderRemoved(2))
        machine.record(3, "builtin")
        #expect(machine.system.port == "builtin" && machine.system.timesBuilt == 2)
        machine.passTime()
        #expect(machine.system.isRecording && machine.system.exceptions.isEmpty)
    }

    @Test("A microphone that is not there fails, once, and the others go on")
    func noSuchPort() {
        var machine = Machine()
        machine.record(1)
        machine.record(2, "gone")
        guard case .failed(let error) = machine.events.last else {
            Issue.record("nobody is told")
            return
        }
        #expect(error.code == .busy && machine.events.count == 1)
        #expect(machine.system.isRecording)
    }

    @Test("Without a microphone others are heard all the same, and who is patient gets one when there is one again")
    func missing() {
        var machine = Machine(FakeAudioSystem(ports: []))
        machine.handle(.playerAdded(1))
        machine.record(2, staysAttached: true)
        machine.record(3)
        #expect(machine.system.isPlaying && !machine.system.isRecording)
        machine.happen([.routeChanged]) { $0.plug(FakeAudioSystem.builtIn) }
        #expect(machine.system.isPlaying && machine.system.isRecording && machine.system.exceptions.isEmpty)
    }

    @Test("Who cannot start now tries again, each time after twice as long")
    func patience() {
        var machine = Machine()
        machine.system.setBroken(true)
        machine.record(staysAttached: true)
        for _ in 0..<3 { machine.passTime() }
        #expect(machine.waits.map(\.seconds) == [1, 2, 4, 8])
        machine.system.setBroken(false)
        machine.passTime()
        #expect(machine.system.isRecording && machine.system.exceptions.isEmpty)
    }

    @Test("While HFP begins there is no microphone for a moment: nobody is told, the session stays, and all goes on")
    func hfp() {
        var machine = Machine()
        machine.record()
        machine.handle(.playerAdded(2))
        machine.setRate(0)
        #expect(!machine.system.isRecording && machine.system.isPlaying && machine.system.isSessionActive)
        machine.setRate(16_000)
        #expect(machine.system.isRecording && machine.system.isPlaying)
        #expect(machine.events.isEmpty && machine.system.timesActivated == 1 && machine.system.exceptions.isEmpty)
    }

    @Test("When the system's audio was born again, all is made anew")
    func reset() {
        var machine = Machine()
        machine.record(1, "builtin")
        machine.happen([.servicesLost]) { $0.loseServices() }
        machine.handle(.playerAdded(2))
        machine.happen([.servicesReset]) { $0.resetServices() }
        #expect(machine.system.isRecording && machine.system.isPlaying && machine.system.port == "builtin")
        #expect(machine.events.count == 2 && machine.events.last == .resumed)
        #expect(machine.system.exceptions.isEmpty && machine.system.refusals == 0)
    }

    @Test("A session that is CallKit's is neither activated nor deactivated, and nothing runs before it is")
    func callKit() {
        var machine = Machine()
        machine.system.callKit(activates: false)
        machine.handle(.mayRun(false))
        machine.record()
        machine.handle(.playerAdded(2))
        #expect(!machine.system.isRunning && machine.system.timesBuilt == 0)
        for _ in 0..<2 {
            machine.system.callKit(activates: true)
            machine.handle(.mayRun(true))
            #expect(machine.system.isRecording && machine.system.isPlaying)
            machine.system.callKit(activates: false)
            machine.handle(.mayRun(false))
            #expect(!machine.system.isRunning)
        }
        #expect(machine.system.exceptions.isEmpty && machine.system.timesActivated == 0)
    }

    @Test("On a Mac the engine is built for the microphone that is chosen, with voice processing and without")
    func mac() {
        let usb = FakeAudioSystem.Port(id: "usb", rate: 44_100, outputRate: 48_000)
        for processing in [VoiceProcessing.call, .none] {
            var machine = Machine(FakeAudioSystem(prefersInputs: false, ports: [FakeAudioSystem.builtIn, usb]))
            machine.handle(.playerAdded(9))
            for (client, device) in [(1, "builtin"), (2, "usb")] {
                machine.handle(.recorderAdded(client, EngineRules.Recorder(device: device, processing: processing)))
                #expect(machine.system.isRecording && machine.system.isPlaying && machine.system.port == device)
                machine.handle(.recorderRemoved(client))
                machine.passTime()
            }
            #expect(machine.system.exceptions.isEmpty && machine.system.refusals == 0)
        }
    }

    @Test("What one unit processes has one rate on both of its sides; otherwise the engine connects its output itself")
    func mixerRate() {
        let processed = EngineRules.Form.Input(device: nil, isProcessed: true)
        let plain = EngineRules.Form.Input(device: nil, isProcessed: false)
        func rate(_ input: EngineRules.Form.Input?, _ inputRate: Double) -> Double? {
            EngineWiring.mixerRate(EngineRules.Form(input: input, hasOutput: true), inputRate: inputRate)
        }
        #expect(rate(processed, 16_000) == 16_000)
        #expect(rate(processed, 0) == nil && rate(plain, 16_000) == nil && rate(nil, 0) == nil)
    }

    @Test("Whatever happens in whichever order, nothing raises an exception, and it runs in the end if it is to")
    func random() {
        for seed in 0..<500 {
            var random = SplitMix(seed: UInt64(seed))
            var machine = Machine()
            var (records, plays) = (false, false)
            for number in 0..<60 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0 where !records:
                    machine.record(1, Bool.random(using: &random) ? "builtin" : nil, staysAttached: true)
                    records = true
                case 1 where records:
                    machine.handle(.recorderRemoved(1))
                    records = false
                case 2 where !plays:
                    machine.handle(.playerAdded(2))
                    plays = true
                case 3 where plays:
                    machine.handle(.playerRemoved(2))
                    plays = false
                case 4: machine.happen([.interrupted]) { $0.interrupt(tells: false) }
                case 5: machine.happen([.interruptionEnded]) { $0.endInterruption(tells: false) }
                case 6 where !machine.system.isLost: machine.happen([.servicesLost]) { $0.loseServices() }
                case 7 where machine.system.isLost: machine.happen([.servicesReset]) { $0.resetServices() }
                case 8: machine.passTime()
                default: machine.setRate([0, 8_000, 16_000, 44_100, 48_000][number % 5])
                }
            }
            if machine.system.isLost { machine.happen([.servicesReset]) { $0.resetServices() } }
            machine.happen([.interruptionEnded]) { $0.endInterruption(tells: false) }
            machine.setRate(24_000)
            machine.passTime()
            #expect(machine.system.exceptions.isEmpty, "seed \(seed)")
            #expect(machine.system.isRecording == records, "seed \(seed)")
            #expect(machine.system.isPlaying == (plays || records), "seed \(seed)")
            #expect(machine.system.isSessionActive == (plays || records), "seed \(seed)")
        }
    }
}
