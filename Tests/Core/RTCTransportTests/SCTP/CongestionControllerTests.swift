import RTCWire
import Testing

@testable import RTCTransport

@Suite("How SCTP answers losses")
struct CongestionControllerTests {
    /// A controller on a path: acknowledgements of two packets each, as its window allows, in equal steps.
    private struct Path {
        var controller: CongestionController
        var now = Instant.zero + .seconds(10)
        var delay = TimeDelta.milliseconds(100)
        /// What the window is divided by to have what is in flight.
        var unused = 1
        private(set) var answers: [CongestionController.LossResponse] = []
        private var tsn = TransmissionSequenceNumber(1)

        init(_ change: (inout SCTPConfiguration) -> Void = { _ in }) {
            var configuration = SCTPConfiguration()
            change(&configuration)
            controller = CongestionController(configuration)
        }

        var packets: Int { controller.window / 1_200 }

        /// A round trip in which every `loss`th packet is lost; 0 is none.
        mutating func roundTrip(losing loss: Int = 0) {
            let count = max(packets / 2, 1)
            for index in 0..<count {
                now += TimeDelta(nanoseconds: delay.nanoseconds / Int64(count))
                let isLost = loss > 0 && (index * 2) % loss < 2
                answer(acknowledged: isLost ? 1_200 : 2_400, lost: isLost ? 1_200 : 0)
            }
        }

        mutating func answer(acknowledged: Int, lost: Int) {
            let window = UInt32(controller.window / 1_200)
            tsn = tsn.advanced(by: (acknowledged + lost) / 1_200)
            let answer = controller.take(
                CongestionController.Sample(
                    acknowledged: acknowledged, lost: lost, inFlight: controller.window / unused, cumulativeTSN: tsn,
                    highestTSN: tsn.advanced(by: Int(window)), latestSent: now - delay, smoothedRoundTripTime: delay),
                at: now)
            if lost > 0 { answers.append(answer) }
        }
    }

    @Test("Without a queue one in a hundred is chance, and the window grows on")
    func chance() {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        let before = path.packets
        #expect(before == 320)
        for _ in 0..<3 { path.roundTrip(losing: 100) }
        #expect(path.answers.allSatisfy { $0 == .kept } && path.packets > before * 6)
    }

    @Test("With a queue, the first loss reduces the window, once per window of data")
    func queue() {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        path.delay = .milliseconds(106)
        path.roundTrip()
        path.delay = .milliseconds(130)
        for _ in 0..<20 { path.answer(acknowledged: 2_400, lost: 0); path.now += .milliseconds(2) }
        let before = path.controller.window
        for _ in 0..<10 { path.answer(acknowledged: 1_200, lost: 1_200) }
        #expect(path.answers.first == .reduced && path.answers.dropFirst().allSatisfy { $0 == .none })
        #expect(path.controller.window == before * 7 / 10)
    }

    @Test("A queue that media on the path do not see is a burst of theirs, and a loss in it is chance")
    func mediaQueue() {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        path.controller.mediaQueue = .milliseconds(2)
        path.delay = .milliseconds(106)
        path.roundTrip()
        path.delay = .milliseconds(130)
        for _ in 0..<20 { path.answer(acknowledged: 2_400, lost: 0); path.now += .milliseconds(2) }
        for _ in 0..<3 { path.answer(acknowledged: 1_200, lost: 1_200) }
        #expect(path.answers == [.kept, .kept, .kept])
        // One that they see too is a queue.
        path.controller.mediaQueue = .milliseconds(20)
        path.answer(acknowledged: 1_200, lost: 1_200)
        #expect(path.answers.last == .reduced)
    }

    @Test("Jitter and single late packets are no queue")
    func jitter() {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        for index in 0..<400 {
            path.delay = .milliseconds(index % 5 == 0 ? 101 : 170)
            path.answer(acknowledged: 2_400, lost: index % 50 == 49 ? 1_200 : 0)
            path.now += .milliseconds(1)
        }
        #expect(path.answers == .init(repeating: .kept, count: 8))
    }

    @Test("Much loss is answered though there is no queue, as of a policer", arguments: [100, 160, 250])
    func policer(carried: Int) {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        let before = path.packets
        for _ in 0..<400 {
            let beyond = path.packets - carried
            path.roundTrip(losing: beyond > 0 ? max(path.packets / beyond, 2) : 0)
        }
        #expect(path.answers.filter { $0 == .reduced }.count >= 3)
        #expect(path.packets < before && path.packets < carried * 5 / 4)
    }

    @Test("Much loss is answered at first, and not any more when it stays the same", arguments: [8, 12])
    func muchChance(share: Int) {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        for _ in 0..<20 { path.roundTrip(losing: share) }
        #expect(path.answers.first { $0 != .kept } == .reduced)
        #expect(path.answers.suffix(50).allSatisfy { $0 == .kept })
    }

    @Test("What is lost below the height of the last reduction is chance, and more than that is not")
    func learned() {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        for _ in 0..<30 { path.roundTrip(losing: 40) }
        let reductions = path.answers.filter { $0 == .reduced }.count
        #expect((1...3).contains(reductions), "\(reductions)")
        #expect(path.answers.suffix(50).allSatisfy { $0 == .kept })
        for _ in 0..<3 { path.roundTrip(losing: 12) }
        #expect(path.answers.filter { $0 == .reduced }.count > reductions)
    }

    @Test("An overflow that recovery finds to be large is not taken for chance when the limit rises a little")
    func overflow() {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        // The reduction comes where the losses cross 2 %; a quarter of what was in flight then is lost.
        while !path.controller.isInRecovery { path.answer(acknowledged: 1_200, lost: 1_200) }
        while path.controller.isInRecovery {
            path.answer(acknowledged: 1_200, lost: 1_200)
            path.answer(acknowledged: 2_400, lost: 0)
            path.now += .milliseconds(2)
        }
        #expect(path.answers.filter { $0 == .reduced }.count == 1)
        let threshold = path.controller.slowStartThreshold
        for _ in 0..<12 { path.roundTrip(losing: 40) }
        #expect(path.controller.slowStartThreshold == threshold)
    }

    @Test("A reduction for what proves to be chance is made good, though recovery found more of the same")
    func madeGood() {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        while !path.controller.isInRecovery { path.roundTrip(losing: 33) }
        let threshold = path.controller.slowStartThreshold
        for _ in 0..<12 { path.roundTrip(losing: 33) }
        #expect(path.controller.window > threshold * 4, "\(threshold)")
    }

    @Test("A loss by chance takes from the window what it has not been used for")
    func unused() {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        // Slow start ends by a queue.
        path.delay = .milliseconds(140)
        path.roundTrip()
        path.roundTrip()
        path.delay = .milliseconds(100)
        let window = path.controller.window
        // The application sends a tenth of that.
        path.unused = 10
        for _ in 0..<3 {
            for _ in 0..<20 {
                path.now += .milliseconds(5)
                path.answer(acknowledged: window / 200, lost: 0)
            }
        }
        path.answer(acknowledged: 1_200, lost: 1_200)
        #expect(path.answers == [.kept])
        #expect(path.controller.window < window / 2 && path.controller.window >= 12_000)
    }

    @Test("Whatever is acknowledged, the window stays within the send buffer")
    func optimistic() {
        var path = Path { $0.sendBufferLimit = 1 << 20 }
        // A peer that acknowledges what it cannot have: no delay at all.
        path.delay = .zero
        for _ in 0..<200 {
            path.now += .milliseconds(1)
            path.answer(acknowledged: path.controller.window, lost: 0)
        }
        #expect(path.controller.window == 1 << 20)
        path.answer(acknowledged: 0, lost: 1 << 30)
        #expect(path.controller.window >= 4 * 1_200)
    }

    @Test("Slow start goes on where the delay that ended it was no queue")
    func resumed() {
        var path = Path()
        for _ in 0..<4 { path.roundTrip() }
        path.delay = .milliseconds(140)
        path.roundTrip()
        path.roundTrip()
        path.delay = .milliseconds(100)
        path.roundTrip()
        let before = path.packets
        for _ in 0..<8 { path.roundTrip() }
        #expect(path.packets > before * 8, "\(before) \(path.packets)")
    }

    @Test("Above the height of the last reduction an empty path fills in seconds, where CUBIC takes minutes")
    func faster() {
        var path = Path()
        for _ in 0..<5 { path.roundTrip() }
        path.delay = .milliseconds(140)
        for _ in 0..<3 { path.roundTrip() }
        path.answer(acknowledged: 1_200, lost: 1_200)
        path.delay = .milliseconds(100)
        for _ in 0..<3 { path.roundTrip() }
        let before = path.packets
        for _ in 0..<40 { path.roundTrip() }
        #expect(path.answers == [.reduced] && path.packets > before * 5, "\(before) \(path.packets)")
        // And stops with the first queue.
        path.delay = .milliseconds(110)
        path.roundTrip()
        let then = path.packets
        for _ in 0..<5 { path.roundTrip() }
        #expect(path.packets < then + then / 8)
    }

    @Test("A window that is not used any more decays to what a path bears at first")
    func decays() {
        var path = Path()
        for _ in 0..<8 { path.roundTrip() }
        let before = path.packets
        path.unused = 8
        for _ in 0..<10 { path.roundTrip() }
        #expect(path.packets < before / 3, "\(path.packets) of \(before)")
        for _ in 0..<60 { path.roundTrip() }
        #expect(path.packets == 10, "\(path.packets)")
    }

    @Test("After a timeout slow start goes up to its threshold, whatever the delay of a late packet says")
    func afterTimeout() {
        var path = Path()
        for _ in 0..<6 { path.roundTrip() }
        let before = path.packets
        path.controller.timedOut()
        path.delay = .milliseconds(900)
        path.answer(acknowledged: 1_200, lost: 0)
        path.delay = .milliseconds(100)
        for _ in 0..<20 { path.roundTrip() }
        #expect(path.packets > before / 2, "\(path.packets) of \(before)")
    }
}
