import RTCWire
import Testing

@testable import RTCMedia

@Suite("Holding an encoder to its target")
struct EncoderRateControlTests {
    /// Lets an encoder make pictures for `seconds`, at 25 a second, each `habit` times what it is told.
    ///
    /// - Returns: What it made in the second half, in bits per second with headers.
    private func run(
        _ control: inout EncoderRateControl, from start: Instant = .zero, seconds: Int, target: Bitrate, habit: Double,
        keyFrames: Bool = false, queue: TimeDelta = .zero
    ) -> Double {
        var bytes = 0
        for number in 0..<seconds * 25 {
            let isKeyFrame = keyFrames && number % 50 == 0
            let size = Double(control.rate(for: target, queue: queue).bitsPerSecond) / 8 / 25 * (isKeyFrame ? 6 : habit)
            control.note(
                size: Int(size), isKeyFrame: isKeyFrame, target: target, queue: queue,
                at: start + .milliseconds(Int64(number) * 40))
            if number >= seconds * 25 / 2 { bytes += Int(size * 1.04) + 20 }
        }
        return Double(bytes) * 8 / (Double(seconds) / 2)
    }

    @Test("One that makes half as much again, or too little, is told otherwise", arguments: [0.95, 1, 1.2, 1.5, 2])
    func habits(habit: Double) {
        var control = EncoderRateControl()
        let made = run(&control, seconds: 6, target: .megabits(1), habit: habit)
        #expect(made > 930_000 && made < 1_060_000, "\(made)")
    }

    @Test("One that has little to do is not driven")
    func calm() {
        var control = EncoderRateControl()
        _ = run(&control, seconds: 20, target: .megabits(1), habit: 0.2)
        #expect(control.correction <= 1.1)
        // And is held again within a second when the film becomes restless.
        _ = run(&control, from: .milliseconds(20_000), seconds: 2, target: .megabits(1), habit: 1.5)
        #expect(control.correction < 0.75, "\(control.correction)")
    }

    @Test("Key frames are no habit")
    func keyFrames() {
        var control = EncoderRateControl()
        _ = run(&control, seconds: 10, target: .megabits(1), habit: 1, keyFrames: true)
        #expect(control.correction > 0.9, "\(control.correction)")
    }

    @Test("Nothing is asked for while pictures wait")
    func queue() {
        let control = EncoderRateControl()
        let (short, long) = (
            control.shouldDropFrame(queue: .milliseconds(50)), control.shouldDropFrame(queue: .milliseconds(70))
        )
        #expect(!short && long)
    }

    @Test("A queue lowers the setting while it is there, and is no habit of the encoder", arguments: [1, 1.5])
    func pushback(habit: Double) {
        var control = EncoderRateControl()
        let (target, queue) = (Bitrate.megabits(1), TimeDelta.milliseconds(60))
        let share = EncoderPushback().factor(queue: queue)
        let before = run(&control, seconds: 10, target: target, habit: habit)
        let correction = control.correction
        let during = run(
            &control, from: .milliseconds(10_000), seconds: 10, target: target, habit: habit, queue: queue)
        #expect(abs(during / before / share - 1) < 0.05, "\(during) of \(before)")
        #expect(abs(control.correction / correction - 1) < 0.05, "\(control.correction) after \(correction)")
        // The first frame without a queue gets everything again.
        let after = Double(control.rate(for: target, queue: .zero).bitsPerSecond)
        #expect(abs(after * 1.04 / control.correction / 1e6 - 1) < 0.03, "\(after)")
    }

    @Test("An encoder that exceeds its setting in a queue is corrected as without one")
    func overshootInQueue() {
        var control = EncoderRateControl()
        _ = run(&control, seconds: 6, target: .megabits(1), habit: 1.5, queue: .milliseconds(60))
        #expect(control.correction > 0.6 && control.correction < 0.75, "\(control.correction)")
    }

    @Test("A setting changes by more than 2 %, or not at all")
    func fewChanges() {
        var control = EncoderRateControl()
        func setting(_ kilobits: Int64, queue: Int64 = 0) -> Bitrate {
            control.rate(for: .kilobits(kilobits), queue: .milliseconds(queue))
        }
        let (first, alike, again) = (setting(1_000), setting(1_015), setting(985, queue: 30))
        #expect(alike == first && again == first)
        let (more, queued, rest) = (setting(1_025), setting(1_025, queue: 40), setting(1_025))
        #expect(more > first && queued < first && rest == more)
        // An encoder that is corrected steadily is told so a few times a second, not with each frame.
        var (last, changes) = (Bitrate(bitsPerSecond: 0), 0)
        for number in 0..<250 {
            let rate = control.rate(for: .megabits(1), queue: .zero)
            if rate != last { changes += 1 }
            last = rate
            let size = Double(rate.bitsPerSecond) / 8 / 25 * 1.5
            control.note(
                size: Int(size), isKeyFrame: false, target: .megabits(1), queue: .zero,
                at: .zero + .milliseconds(Int64(number) * 40))
        }
        #expect(changes < 60, "\(changes)")
    }

    @Test("Times and sizes that make no sense do no harm")
    func nonsense() {
        var control = EncoderRateControl()
        let random = SeededRandom(seed: 1)
        for _ in 0..<1_000 {
            control.note(
                size: Int(random.next(below: 1 << 40)), isKeyFrame: random.next(below: 2) == 0,
                target: Bitrate(bitsPerSecond: Int64(bitPattern: random.next())),
                queue: TimeDelta(nanoseconds: Int64(bitPattern: random.next())),
                at: Instant(nanoseconds: Int64(bitPattern: random.next())))
            #expect(control.correction >= 0.35 && control.correction <= 1.1)
            for extreme in [Int64.max, .min] {
                let (target, queue) = (Bitrate(bitsPerSecond: extreme), TimeDelta(nanoseconds: extreme))
                let rate = control.rate(for: target, queue: queue)
                #expect(rate.bitsPerSecond >= 0)
            }
        }
    }
}
