import Testing

@testable import WebRTCKit

@Suite("Bitrate adjustment")
struct BitrateAdjustmentTests {
    /// A sender that is asked for its counters each second.
    struct Sender {
        var adjustment: BitrateAdjustment
        var sent = 0
        var lost = 0
        var time = Duration.zero
        var changes: [Int?] = []

        init(_ config: BitrateConfig = .defaultForVideo) {
            adjustment = BitrateAdjustment(config)
            _ = adjustment.record(packetsSent: 0, packetsLost: 0, at: .zero)
        }

        /// Sends for so many seconds, `sent` packets in each.
        mutating func run(_ seconds: Int, sent: Int = 1_000, lost: Int = 0) {
            for _ in 0..<seconds {
                self.sent += sent
                self.lost += lost
                time += .seconds(1)
                changes.append(adjustment.record(packetsSent: self.sent, packetsLost: self.lost, at: time))
            }
        }
    }

    // MARK: The sentences of the original WebRTCKit's README

    @Test("The initial bitrate to try when the call starts")
    func start() {
        #expect(BitrateAdjustment(.defaultForVideo).bitrate == 1_000_000)
        #expect(BitrateAdjustment(.defaultForAudio).bitrate == 16_000)
    }

    @Test(
        "If the packet loss of the last second is >= criticalPacketLossThreshold, it is dropped by bitrateStepCriticalDown",
        arguments: [(99, nil), (100, 750_000), (101, 750_000), (1_000, 750_000)] as [(Int, Int?)])
    func critical(lost: Int, expected: Int?) {
        var sender = Sender()
        sender.run(1, lost: lost)
        #expect(sender.changes == [expected])
        #expect(sender.adjustment.bitrate == expected ?? 1_000_000)
    }

    @Test("The critical step is that of the configuration: 0.50 in the example, 0.25 by default")
    func criticalStep() {
        var config = Sender(.init(.defaultForVideo, criticalDown: 0.5))
        config.run(1, lost: 100)
        #expect(config.adjustment.bitrate == 500_000)
        var standard = Sender()
        standard.run(1, lost: 100)
        #expect(standard.adjustment.bitrate == 750_000)
    }

    @Test("It is the last second that counts: what came before is over")
    func lastSecond() {
        var sender = Sender()
        sender.run(1, lost: 0)
        sender.run(1, lost: 200)
        sender.run(1, lost: 0)
        #expect(sender.changes == [nil, 750_000, nil])
    }

    @Test("Every critical second drops it again")
    func everySecond() {
        var sender = Sender()
        sender.run(3, lost: 100)
        #expect(sender.changes == [750_000, 562_500, 421_875])
    }

    @Test("Every 5 seconds we check the packet loss: neither sooner nor in between")
    func everyFiveSeconds() {
        var sender = Sender()
        sender.run(15)
        #expect(
            sender.changes == [
                nil, nil, nil, nil, 1_150_000, nil, nil, nil, nil, 1_322_500, nil, nil, nil, nil, 1_520_875,
            ])
    }

    @Test(
        "If it is >= highPacketLossThreshold, we decrease the bitrate by bitrateStepDown",
        arguments: [(49, 1_000_000), (50, 850_000), (51, 850_000), (99, 850_000)])
    func high(lost: Int, expected: Int) {
        var sender = Sender()
        sender.run(5, lost: lost)
        #expect(sender.adjustment.bitrate == expected)
    }

    @Test(
        "If it is < lowPacketLossThreshold, we increase the bitrate by bitrateStepUp",
        arguments: [(0, 1_150_000), (9, 1_150_000), (10, 1_000_000), (11, 1_000_000)])
    func low(lost: Int, expected: Int) {
        var sender = Sender()
        sender.run(5, lost: lost)
        #expect(sender.adjustment.bitrate == expected)
    }

    @Test("Between low and high it stays")
    func between() {
        var sender = Sender()
        sender.run(60, lost: 30)
        #expect(sender.adjustment.bitrate == 1_000_000)
    }

    @Test("It is the loss of the last 10 seconds that is checked")
    func lastTenSeconds() {
        // 6 % over the first 5 seconds, none over the next: 3 % over the ten, which is neither high nor low.
        var sender = Sender()
        sender.run(5, lost: 60)
        #expect(sender.adjustment.bitrate == 850_000)
        sender.run(5)
        #expect(sender.adjustment.bitrate == 850_000)
        // And none over the last ten.
        sender.run(5)
        #expect(sender.adjustment.bitrate == 977_500)
    }

    @Test("A lossy second at the beginning of the last 10 counts, and the one before it does not")
    func edgeOfTenSeconds() {
        for (lossySecond, expected) in [(6, nil), (5, 1_150_000)] as [(Int, Int?)] {
            // 1 % over ten seconds, which is not low.
            var sender = Sender(.init(.defaultForVideo, critical: 1))
            for second in 1...15 { sender.run(1, lost: second == lossySecond ? 100 : 0) }
            #expect(sender.changes[9] == nil)
            #expect(sender.changes[14] == expected)
        }
    }

    @Test("The bitrate does not go below minBitrate, and does not go above maxBitrate")
    func limits() {
        var sender = Sender()
        sender.run(60, lost: 500)
        #expect(sender.adjustment.bitrate == 100_000)
        #expect(sender.changes.last == .some(nil))
        sender.run(300)
        #expect(sender.adjustment.bitrate == 6_000_000)
        #expect(sender.changes.last == .some(nil))
    }

    // MARK: What it is told

    @Test("Bug 2: A paused camera is no loss: where nothing was sent, nothing changes")
    func pause() {
        var sender = Sender()
        sender.run(5)
        #expect(sender.adjustment.bitrate == 1_150_000)
        sender.run(15, sent: 0)
        #expect(sender.changes.suffix(10).allSatisfy { $0 == nil })
        let bitrate = sender.adjustment.bitrate
        // Nor are packets that are reported lost only then.
        sender.run(1, sent: 0, lost: 100)
        sender.run(60, sent: 0)
        #expect(sender.adjustment.bitrate == bitrate)
    }

    @Test("After a pause, what is sent then counts")
    func afterPause() {
        var sender = Sender()
        sender.run(60, sent: 0)
        sender.run(1, lost: 100)
        #expect(sender.adjustment.bitrate == 750_000)
    }

    @Test("Counters that jump back are another sender's: the bitrate stays, and what the old one lost is forgotten")
    func newSender() {
        var sender = Sender()
        sender.run(4, lost: 90)
        (sender.sent, sender.lost) = (0, 0)
        sender.run(1, sent: 10)
        #expect(sender.adjustment.bitrate == 1_000_000)
        sender.run(4)
        #expect(sender.adjustment.bitrate == 1_000_000)
        sender.run(1)
        #expect(sender.adjustment.bitrate == 1_150_000)
    }

    @Test("Packets that come late after all are no loss below zero")
    func lateArrivals() {
        var sender = Sender()
        sender.run(2, lost: 60)
        sender.run(3, lost: -40)
        #expect(sender.adjustment.bitrate == 1_150_000)
    }

    @Test("More lost than sent is all of it, not more")
    func moreLostThanSent() {
        var sender = Sender(.init(.defaultForVideo, critical: 1))
        sender.run(1, sent: 10, lost: 1_000)
        #expect(sender.changes == [750_000])
    }

    @Test("A timer that is not exact makes no difference")
    func jitter() {
        var adjustment = BitrateAdjustment(.defaultForVideo)
        var changes = 0
        for second in 0...60 {
            let jitter = Duration.milliseconds([-90, 40, -10, 80, 0][second % 5])
            let change = adjustment.record(
                packetsSent: second * 1_000, packetsLost: second * 60, at: .seconds(second + 1) + jitter)
            if change != nil { changes += 1 }
        }
        #expect(changes == 12)
    }

    @Test("Who asks ten times a second gets no other answer")
    func often() {
        var adjustment = BitrateAdjustment(.defaultForVideo)
        var changes: [Int] = []
        for tenth in 0...100 {
            // All of one tenth is lost: 10 % of its second.
            let lost = tenth >= 35 ? 100 : 0
            if let change = adjustment.record(
                packetsSent: tenth * 100, packetsLost: lost, at: .milliseconds(tenth * 100))
            {
                changes.append(change)
            }
        }
        #expect(changes == [750_000])
    }

    @Test("Who was held up for a minute goes on: one check, not twelve")
    func heldUp() {
        var sender = Sender()
        sender.run(5)
        sender.time += .seconds(60)
        sender.run(5)
        #expect(sender.changes.compactMap { $0 } == [1_150_000, 1_322_500])
    }

    @Test("A clock that jumps back begins anew")
    func clock() {
        var sender = Sender()
        sender.run(7)
        sender.time = .zero
        sender.run(5)
        #expect(sender.changes.compactMap { $0 } == [1_150_000])
        sender.run(1)
        #expect(sender.changes.compactMap { $0 } == [1_150_000, 1_322_500])
    }

    @Test(
        "A configuration that nobody has validated does not trap, and the bitrate stays within what there is of limits")
    func unvalidated() {
        let odd = [Double.nan, .infinity, -5, 1e300, 0, 1]
        for share in odd {
            for (least, most) in [(10, 1), (.min, .max), (0, 0), (-5, -7), (.max, .max), (1, .max)] {
                let config = BitrateConfig(
                    minBitrate: least, maxBitrate: most, startBitrate: 3, bitrateStepUp: share, bitrateStepDown: share,
                    bitrateStepCriticalDown: share, criticalPacketLossThreshold: share, highPacketLossThreshold: share,
                    lowPacketLossThreshold: share)
                var sender = Sender(config)
                sender.run(12, lost: 100)
                sender.run(12)
                #expect(sender.adjustment.bitrate <= most && sender.adjustment.bitrate >= min(least, most))
            }
        }
        var adjustment = BitrateAdjustment(.defaultForVideo)
        for (sent, lost) in [(Int.min, Int.max), (.max, .min), (.max, .max), (0, 0), (.min, .min)] {
            for second in 0..<30 { _ = adjustment.record(packetsSent: sent, packetsLost: lost, at: .seconds(second)) }
        }
    }

    @Test("Whatever happens, the bitrate is never outside of its limits, and every change is reported")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let config = BitrateConfig.random(using: &generator)
            var sender = Sender(config)
            var last = sender.adjustment.bitrate
            for _ in 0..<100 {
                if Int.random(in: 0..<20, using: &generator) == 0 { (sender.sent, sender.lost) = (0, 0) }
                let sent = Bool.random(using: &generator) ? 0 : Int.random(in: 0...5_000, using: &generator)
                sender.time += .milliseconds(Int.random(in: 0...3_000, using: &generator))
                sender.run(1, sent: sent, lost: Int.random(in: -10...max(10, sent), using: &generator))
                let bitrate = sender.adjustment.bitrate
                #expect(bitrate >= config.minBitrate && bitrate <= config.maxBitrate)
                #expect(sender.changes.last == .some(bitrate == last ? nil : bitrate))
                last = bitrate
            }
        }
    }
}

extension BitrateConfig {
    /// Another configuration with some other values.
    init(_ config: BitrateConfig, criticalDown: Double? = nil, critical: Double? = nil) {
        self.init(
            minBitrate: config.minBitrate, maxBitrate: config.maxBitrate, startBitrate: config.startBitrate,
            bitrateStepUp: config.bitrateStepUp, bitrateStepDown: config.bitrateStepDown,
            bitrateStepCriticalDown: criticalDown ?? config.bitrateStepCriticalDown,
            criticalPacketLossThreshold: critical ?? config.criticalPacketLossThreshold,
            highPacketLossThreshold: config.highPacketLossThreshold,
            lowPacketLossThreshold: config.lowPacketLossThreshold)
    }
}
