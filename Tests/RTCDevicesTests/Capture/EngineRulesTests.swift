import Testing

@testable import RTCDevices

@Suite("A microphone of an audio engine")
struct EngineRulesTests {
    /// An engine with the framework's rules, and the microphone that follows ``EngineRules``.
    private struct Machine {
        var rules = EngineRules()
        /// Of the microphone that there is.
        var rate = 48_000.0
        var isInterrupted = false
        private(set) var isRunning = false
        private(set) var timesBuilt = 0
        private(set) var failures = 0
        private(set) var events: [CaptureEvent] = []
        private var builtRate = 0.0

        init() { build() }

        private mutating func build() {
            (isRunning, builtRate) = (false, rate)
            timesBuilt += 1
            rules.built(rate: rate)
        }

        mutating func carryOut(_ steps: [EngineRules.Step]) {
            for step in steps {
                switch step {
                case .build: build()
                case .start:
                    // It cannot be started while somebody else has the microphone, nor with what fits another one.
                    if isInterrupted || builtRate != rate { failures += 1 } else { isRunning = true }
                case .stop: isRunning = false
                case .tell(let event): events.append(event)
                }
            }
        }

        mutating func start() { carryOut(rules.start()) }
        mutating func stop() { carryOut(rules.stop()) }

        /// The engine stops by itself then.
        mutating func changeRoute(to rate: Double) {
            self.rate = rate
            isRunning = false
            carryOut(rules.configurationChanged(rate: rate))
        }

        mutating func interrupt() {
            isInterrupted = true
            isRunning = false
            carryOut(rules.interrupted())
        }

        mutating func endInterruption() {
            isInterrupted = false
            carryOut(rules.interruptionEnded(rate: rate))
        }
    }

    @Test("It goes on when the route is another one, and is built anew only for another rate")
    func route() {
        var machine = Machine()
        machine.start()
        machine.changeRoute(to: 48_000)
        #expect(machine.isRunning && machine.timesBuilt == 1)
        machine.changeRoute(to: 16_000)
        #expect(machine.isRunning && machine.timesBuilt == 2)
        machine.stop()
        machine.changeRoute(to: 48_000)
        #expect(!machine.isRunning && machine.timesBuilt == 3)
        machine.start()
        #expect(machine.isRunning && machine.failures == 0)
    }

    @Test(
        "While it is interrupted it is not started, whatever happens; afterwards it goes on, with the rate that there is"
    )
    func interruption() {
        var machine = Machine()
        machine.start()
        machine.interrupt()
        machine.interrupt()
        machine.changeRoute(to: 16_000)
        machine.stop()
        machine.start()
        machine.changeRoute(to: 0)
        machine.changeRoute(to: 24_000)
        machine.endInterruption()
        machine.endInterruption()
        #expect(machine.isRunning && machine.failures == 0)
        #expect(machine.events.count == 2 && machine.events.last == .resumed)
    }

    @Test("Whatever happens in whichever order, it is never started in vain, and runs in the end if it is to")
    func random() {
        for seed in 0..<200 {
            var random = SplitMix(seed: UInt64(seed))
            var machine = Machine()
            var isStarted = false
            for _ in 0..<50 {
                switch Int.random(in: 0..<5, using: &random) {
                case 0:
                    machine.start()
                    isStarted = true
                case 1:
                    machine.stop()
                    isStarted = false
                case 2: machine.interrupt()
                case 3: machine.endInterruption()
                default: machine.changeRoute(to: [8_000, 16_000, 48_000].randomElement(using: &random) ?? 48_000)
                }
            }
            machine.endInterruption()
            #expect(machine.failures == 0 && machine.isRunning == isStarted, "seed \(seed)")
        }
    }
}
