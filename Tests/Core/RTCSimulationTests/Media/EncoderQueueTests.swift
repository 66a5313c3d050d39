import RTCMedia
import RTCSimulation
import RTCWire
import Testing

@Suite("An encoder before a pacer that sends no more than the encoder's target")
struct EncoderQueueTests {
    @Test("It makes smaller frames, and few are left out", arguments: [1, 1.5], Seeds.few.prefix(3))
    func obeys(overshoot: Double, seed: UInt64) {
        let target = Bitrate.kilobits(1_900)
        var encoder = ModelEncoder(seed: seed, overshoot: overshoot)
        var (queue, bits) = (0.0, 0.0)
        var waits: [Double] = []
        for number in 0..<1_500 {
            queue = max(0, queue - 0.04)
            let size = encoder.next(
                isKeyFrame: number == 0, target: target, queue: .nanoseconds(Int64(queue * 1e9)),
                at: .zero + .milliseconds(Int64(number) * 40))
            guard let size else { continue }
            let frame = (Double(size) * 1.04 + 20) * 8
            queue += frame / Double(target.bitsPerSecond)
            bits += frame
            waits.append(queue)
        }
        // Without pushback, one in eleven or two in five, depending on the overshoot.
        #expect(encoder.leftOut < 120, "\(encoder.leftOut)")
        #expect(bits / 60 > 0.9 * Double(target.bitsPerSecond), "\(bits / 60)")
        waits.sort()
        #expect(waits[waits.count * 95 / 100] < 0.105, "\(waits[waits.count * 95 / 100])")
    }
}
