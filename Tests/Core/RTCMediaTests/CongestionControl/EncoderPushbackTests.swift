import RTCWire
import Testing

@testable import RTCMedia

@Suite("Less from the encoder while frames wait")
struct EncoderPushbackTests {
    @Test("Nothing up to 30 ms, then 8 % for each 10 ms, and never less than half")
    func factors() {
        let pushback = EncoderPushback()
        let expected: [(queue: Int64, factor: Double)] = [
            (-10, 1), (0, 1), (30, 1), (35, 0.96), (40, 0.92), (60, 0.76), (90, 0.52), (93, 0.5), (5_000, 0.5),
        ]
        for (queue, factor) in expected {
            #expect(abs(pushback.factor(queue: .milliseconds(queue)) - factor) < 1e-9, "\(queue) ms")
        }
        #expect(pushback.factor(queue: TimeDelta(nanoseconds: .max)) == 0.5)
        #expect(pushback.factor(queue: TimeDelta(nanoseconds: .min)) == 1)
    }

    @Test("Longer queues never mean more")
    func order() {
        let pushback = EncoderPushback()
        var last = 1.0
        for queue in 0..<200 {
            let factor = pushback.factor(queue: .milliseconds(Int64(queue)))
            #expect(factor <= last)
            last = factor
        }
    }
}
