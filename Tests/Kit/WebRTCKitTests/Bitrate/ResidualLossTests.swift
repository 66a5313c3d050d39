import Testing

@testable import WebRTCKit

@Suite("What repair leaves of the loss, and what a path loses of itself")
struct ResidualLossTests {
    /// A sender whose packets get lost with luck of their own, with a report each second.
    struct Sender {
        var loss = ResidualLoss()
        var adjustment = BitrateAdjustment(.defaultForVideo)
        var repair = ResidualLoss.Repair.none
        var random: UInt64
        var counters = ResidualLoss.Counters(sent: 0, lost: 0)
        var second = 0
        /// Beside what the adjustment lets be sent.
        var others = 40_000.0
        var bitrates: [Int] = []

        init(seed: UInt64, _ config: BitrateConfig = .defaultForVideo, repairedBy repair: ResidualLoss.Repair = .none) {
            random = seed
            adjustment = BitrateAdjustment(config)
            self.repair = repair
        }

        private mutating func isLost(_ share: Double) -> Bool {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(random >> 33) / Double(1 << 31) < share
        }

        /// - Parameters:
        ///   - packets: A second; `nil` for as many as the bitrate makes, of 1,000 bytes, and 30 at least.
        ///   - share: What of them is lost, by the rate in bits per second.
        mutating func run(_ seconds: Int, packets: Int? = nil, loss share: (Double) -> Double) {
            for _ in 0..<seconds {
                second += 1
                let rate = Double(adjustment.bitrate) + others
                counters.rate = second == 1 ? nil : rate
                for _ in 0..<(packets ?? max(adjustment.bitrate / 8_000, 30)) {
                    counters.sent += 1
                    guard isLost(share(rate)) else { continue }
                    counters.lost += 1
                    guard case .retransmission = repair else { continue }
                    repeat { counters.sentAgain += 1 } while isLost(share(rate))
                }
                let (sent, lost) = loss.record(counters, repairedBy: repair)
                _ = adjustment.record(packetsSent: sent, packetsLost: lost, at: .seconds(second))
                bitrates.append(adjustment.bitrate)
            }
        }
    }

    @Test(
        "A tenth that is lost and sent again is no loss: the rate of pictures goes up to its maximum", arguments: 1...10
    )
    func retransmitted(seed: UInt64) {
        var sender = Sender(seed: seed, repairedBy: .retransmission)
        sender.run(120) { _ in 0.1 }
        #expect(sender.bitrates.allSatisfy { $0 >= 1_000_000 })
        #expect(sender.adjustment.bitrate == 6_000_000)
    }

    @Test("A tenth of the sound that is lost leaves a hundredth: its rate never falls", arguments: 1...10)
    func carriedByTheNext(seed: UInt64) {
        var sender = Sender(seed: seed, .defaultForAudio, repairedBy: .nextPacket)
        sender.others = 1_000_000
        sender.run(120, packets: 50) { _ in 0.1 }
        #expect(sender.bitrates.allSatisfy { $0 >= 16_000 })
    }

    @Test("… and goes up once the rest of the call has shown that half as much loses the same", arguments: 1...10)
    func soundGoesUp(seed: UInt64) {
        var sender = Sender(seed: seed, .defaultForAudio, repairedBy: .nextPacket)
        sender.others = 400_000
        sender.run(20, packets: 50) { _ in 0.1 }
        sender.others = 1_500_000
        sender.run(240, packets: 50) { _ in 0.1 }
        #expect(sender.adjustment.bitrate >= 24_000)
    }

    @Test("Without repair the rate is halved to see, and comes back if that changes nothing", arguments: 1...10)
    func pathOfItself(seed: UInt64) {
        var sender = Sender(seed: seed)
        sender.run(30) { _ in 0.12 }
        #expect(sender.bitrates.min() ?? 0 < 600_000)
        // To half, and by chance to half of that or once more: an eighth.
        #expect(sender.bitrates.min() ?? 0 >= 125_000)
        #expect(abs(sender.loss.ofPath - 0.12) < 0.05)
        sender.run(400) { _ in 0.12 }
        #expect(sender.adjustment.bitrate >= 1_000_000, "\(sender.bitrates)")
    }

    @Test("Loss that goes away at half the rate is an answer to it, and counts in full", arguments: 1...10)
    func congestion(seed: UInt64) {
        // The path carries 500 kbit/s.
        var sender = Sender(seed: seed)
        sender.run(60) { max(0, 1 - 500_000 / $0) }
        #expect(sender.bitrates.suffix(30).allSatisfy { $0 <= 600_000 }, "\(sender.bitrates)")
        #expect(sender.loss.ofPath < 0.02)
    }

    @Test("A path that loses of itself and is full besides: what is more than its own counts", arguments: 1...10)
    func both(seed: UInt64) {
        var sender = Sender(seed: seed)
        sender.run(300) { 0.1 + 0.9 * max(0, 1 - 700_000 / $0) }
        #expect((400_000...1_000_000).contains(sender.bitrates.suffix(60).max() ?? 0), "\(sender.bitrates)")
        #expect((0.06...0.14).contains(sender.loss.ofPath))
    }

    @Test("A burst of which nothing is sent again counts, one report later")
    func unrepaired() {
        var loss = ResidualLoss()
        _ = loss.record(.init(sent: 0, lost: 0), repairedBy: .retransmission)
        #expect(loss.record(.init(sent: 100, lost: 30), repairedBy: .retransmission) == (100, 0))
        #expect(loss.record(.init(sent: 200, lost: 30), repairedBy: .retransmission) == (200, 30))
        // Of thirty more, twenty are sent again and arrive.
        #expect(loss.record(.init(sent: 300, lost: 60), repairedBy: .retransmission) == (300, 30))
        #expect(loss.record(.init(sent: 400, lost: 60, sentAgain: 20), repairedBy: .retransmission) == (400, 40))
    }

    @Test("A report of more losses than packets teaches nothing: what gets lost afterwards still counts")
    func impossible() {
        for repair in [.none, .retransmission] as [ResidualLoss.Repair] {
            var loss = ResidualLoss()
            var counters = ResidualLoss.Counters(sent: 0, lost: 0, rate: 100_000)
            _ = loss.record(counters, repairedBy: repair)
            counters.sent += 50
            counters.lost += 8_388_607
            for _ in 0..<2 {
                _ = loss.record(counters, repairedBy: repair)
                counters.sent += 50
            }
            counters.rate = 400_000
            let before = loss.lost
            for _ in 0..<10 {
                counters.sent += 100
                counters.lost += 20
                _ = loss.record(counters, repairedBy: repair)
            }
            #expect((0...0.3).contains(loss.ofPath), "\(loss.ofPath)")
            #expect(loss.lost - before >= 150, "\(loss.lost - before)")
        }
    }

    @Test("Another sender's counters begin anew, and another path's loss is not known")
    func anew() {
        var sender = Sender(seed: 1)
        sender.run(30) { _ in 0.12 }
        #expect(sender.loss.ofPath > 0)
        sender.loss.pathChanged()
        #expect(sender.loss.ofPath == 0)
        #expect(sender.loss.record(.init(sent: 10, lost: 1), repairedBy: .none) == (10, 1))
        #expect(sender.loss.record(.init(sent: 110, lost: 1), repairedBy: .none) == (110, 1))
    }

    @Test("Numbers that make no sense trap nowhere", arguments: 1...20)
    func nonsense(seed: UInt64) {
        var (loss, random) = (ResidualLoss(), seed)
        func number() -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: Int32(truncatingIfNeeded: random >> 32))
        }
        for index in 0..<500 {
            let rate = [nil, 0, -5, 1e300, .infinity, .nan, Double(number())][index % 7]
            let counters = ResidualLoss.Counters(sent: number(), lost: number(), sentAgain: number(), rate: rate)
            _ = loss.record(counters, repairedBy: [.none, .retransmission, .nextPacket][index % 3])
        }
    }
}
