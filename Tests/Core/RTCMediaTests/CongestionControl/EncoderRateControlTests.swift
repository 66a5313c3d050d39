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
        keyFrames: Bool = false
    ) -> Double {
        var bytes = 0
        for number in 0..<seconds * 25 {
            let isKeyFrame = keyFrames && number % 50 == 0
            let size = Double(control.rate(for: target).bitsPerSecond) / 8 / 25 * (isKeyFrame ? 6 : habit)
            control.note(
                size: Int(size), isKeyFrame: isKeyFrame, target: target, at: start + .milliseconds(Int64(number) * 40))
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

    @Test("Times and sizes that make no sense do no harm")
    func nonsense() {
        var control = EncoderRateControl()
        let random = SeededRandom(seed: 1)
        for _ in 0..<1_000 {
            control.note(
                size: Int(random.next(below: 1 << 40)), isKeyFrame: random.next(below: 2) == 0,
                target: Bitrate(bitsPerSecond: Int64(bitPattern: random.next())),
                at: Instant(nanoseconds: Int64(bitPattern: random.next())))
            #expect(control.correction >= 0.35 && control.correction <= 1.1)
            _ = control.rate(for: Bitrate(bitsPerSecond: .max))
        }
    }
}
