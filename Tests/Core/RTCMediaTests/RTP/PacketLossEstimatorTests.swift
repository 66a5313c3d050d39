import RTCWire
import Testing

@testable import RTCMedia

@Suite("How sound gets lost, by receiver reports")
struct PacketLossEstimatorTests {
    /// Sends packets that are lost in rows of `burst`, and takes a report of each 25.
    private static func run(
        _ loss: inout PacketLossEstimator, share: Double, burst: Int, packets: Int, from first: Int = 0,
        lost before: Int32 = 0,
        watch: (PacketLossEstimator) -> Void = { _ in }
    ) -> Int32 {
        let random = SeededRandom(seed: 9)
        var (lost, inRow) = (before, 0)
        for packet in first..<(first + packets) {
            if inRow == 0, random.nextUnit() < share / (Double(burst) * (1 - share) + share) { inRow = burst }
            if inRow > 0 {
                inRow -= 1
                lost += 1
            }
            if packet % 25 == 24 {
                loss.note(reported: UInt64(packet + 1), lost: lost)
                watch(loss)
            }
        }
        return lost
    }

    @Test("At 10 % of random loss no single report without a loss makes copies cease")
    func steady() {
        var loss = PacketLossEstimator()
        var least = 1.0
        var reports = 0
        _ = Self.run(&loss, share: 0.1, burst: 1, packets: 20_000) {
            reports += 1
            if reports > 20 { least = min(least, $0.repairableByNext) }
        }
        #expect(least > 0.05, "\(least)")
        #expect((0.08...0.2).contains(loss.share), "\(loss.share)")
        #expect(loss.burstLength < 1.5, "\(loss.burstLength)")
    }

    @Test("Rows of lost packets are told from single ones", arguments: [2, 4, 8])
    func bursts(length: Int) {
        var loss = PacketLossEstimator()
        var (sum, reports) = (0.0, 0.0)
        _ = Self.run(&loss, share: 0.05, burst: length, packets: 40_000) {
            sum += $0.burstLength
            reports += 1
        }
        let found = sum / reports / Double(length)
        #expect((0.6...1.5).contains(found), "\(sum / reports)")
        #expect(loss.repairableByNext < loss.share)
        #expect(loss.repairableByNext >= 0.01)
    }

    @Test("Copies begin with the first report of loss, and end within a minute of a clean path")
    func edges() {
        var loss = PacketLossEstimator()
        let lost = Self.run(&loss, share: 0.1, burst: 1, packets: 100)
        #expect(loss.repairableByNext > 0.005)
        _ = Self.run(&loss, share: 0, burst: 1, packets: 3_000, from: 100, lost: lost)
        #expect(loss.repairableByNext < 0.005, "\(loss.repairableByNext)")
    }

    @Test("Reports that say the same again, go back, or make no sense change little")
    func hostile() {
        var loss = PacketLossEstimator()
        loss.note(reported: 100, lost: 0)
        for _ in 0..<100 { loss.note(reported: 100, lost: 50) }
        #expect(loss.share == 0)
        loss.note(reported: 50, lost: 0)
        loss.note(reported: 200, lost: .min)
        loss.note(reported: .max, lost: .max)
        loss.note(reported: 3, lost: .min)
        #expect((0...1).contains(loss.share) && (0...0.3).contains(loss.repairableByNext))
        #expect(loss.burstLength >= 1 && loss.burstLength.isFinite)
    }
}
