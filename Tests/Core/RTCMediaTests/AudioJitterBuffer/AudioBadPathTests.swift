import RTCMedia
import RTCWire
import Testing

/// What a person hears of stalls and losses, in virtual time: the share of sound that had to be made up.
@Suite("Sound over bad paths")
struct AudioBadPathTests {
    @Test(
        "Stalls of 200 ms that come again and again are covered after ten seconds, and the delay falls when they end",
        arguments: [500, 1_000, 2_000, 5_000] as [Int64], [1, 2, 3] as [UInt64])
    func stalls(period: Int64, seed: UInt64) {
        var path = AudioTestPath(seed: seed)
        path.stalls = (.milliseconds(200), .milliseconds(period), .seconds(40))
        var stream = AudioTestStream()
        stream.send(over: &path, until: .seconds(60))
        _ = stream.concealedShare(until: .seconds(10))
        let share = stream.concealedShare(until: .seconds(40))
        #expect(share < 0.01, "\(share)")
        stream.play(until: .seconds(55))
        #expect(stream.levels[5_000..<5_500].allSatisfy { $0 <= 80 }, "\(stream.levels[5_000..<5_500].max() ?? 0)")
        #expect(stream.buffer.targetDelay < .milliseconds(30), "\(stream.buffer.targetDelay)")
    }

    @Test("Stalls of one length beside a single longer one: the delay covers those that come again")
    func lengths() {
        var stream = AudioTestStream()
        for index: UInt32 in 0..<1_500 {
            // 120 ms each two seconds, and once 600 ms.
            let held = index == 703 ? 30 : index % 100 == 50 ? 6 : 0
            for offset in 0..<UInt32(held) {
                stream.send(index + offset, delay: .milliseconds(Int64(20 * held) - 20 * Int64(offset) + 5))
            }
            let isHeld = (703..<733).contains(index) || (50..<56).contains(index % 100)
            if !isHeld { stream.send(index) }
        }
        stream.play(until: .seconds(16))
        #expect(stream.buffer.targetDelay < .milliseconds(180), "\(stream.buffer.targetDelay)")
        stream.play(until: .seconds(29))
        #expect(stream.buffer.targetDelay > .milliseconds(100) && stream.buffer.targetDelay < .milliseconds(180))
    }

    @Test("Where nothing stalls the delay does not grow", arguments: [1, 2, 3] as [UInt64])
    func calm(seed: UInt64) {
        var path = AudioTestPath(seed: seed)
        var stream = AudioTestStream()
        stream.send(over: &path, until: .seconds(120))
        _ = stream.concealedShare(until: .seconds(2))
        #expect(stream.concealedShare(until: .seconds(119)) < 0.0001)
        let levels = stream.levels[200...]
        #expect(levels.reduce(0, +) / Double(levels.count) < 35)
        #expect(stream.buffer.targetDelay <= .milliseconds(10))
    }

    @Test("10 % of random loss: only what was lost together with its copy is made up", arguments: [3, 12] as [Int64])
    func randomLoss(jitter: Int64) {
        let share = Self.statistics(loss: 0.1, burst: 1, jitter: jitter).share
        #expect(share < 0.015, "\(share)")
    }

    @Test(
        "Where only what is spoken is copied, the delay does not go up and down with every pause",
        arguments: [3, 12] as [Int64])
    func pauses(jitter: Int64) {
        // A third of the losses have no copy, and of the others a tenth have lost it.
        let (share, all) = Self.statistics(loss: 0.1, burst: 1, jitter: jitter) { $0 % 150 < 100 }
        #expect(share < 0.045, "\(share)")
        let stretched = all.insertedSamplesForDeceleration + all.removedSamplesForAcceleration
        #expect(stretched < 48_000 * 6 / 10, "\(stretched / 48) ms")
    }

    @Test("Bursts of eight packets: all but the last of each are made up, and no more")
    func bursts() {
        let share = Self.statistics(loss: 0.02, burst: 8, jitter: 3).share
        #expect(share < 0.0155, "\(share)")
    }

    @Test("Of two packets that are lost at once, the second is recovered")
    func pairs() {
        let share = Self.statistics(loss: 0.05, burst: 2, jitter: 3).share
        #expect(share < 0.03, "\(share)")
    }

    /// Over two minutes, after the first ten seconds, with a codec that copies each packet into the next.
    private static func statistics(
        loss: Double, burst: Int, jitter: Int64, copies: @escaping (UInt32) -> Bool = { _ in true }
    ) -> (share: Double, all: AudioJitterBufferStatistics) {
        var path = AudioTestPath(seed: 5)
        path.loss = loss
        path.burst = burst
        path.jitter = .milliseconds(jitter)
        let decoder = ToneDecoder(hasForwardErrorCorrection: true)
        decoder.carriesPrevious = copies
        var stream = AudioTestStream(decoder: decoder)
        stream.send(over: &path, until: .seconds(120))
        _ = stream.concealedShare(until: .seconds(10))
        let share = stream.concealedShare(until: .seconds(119))
        return (share, stream.buffer.statistics)
    }
}
