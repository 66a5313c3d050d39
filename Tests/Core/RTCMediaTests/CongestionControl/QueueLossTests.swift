import RTCWire
import Testing

@testable import RTCMedia

@Suite("Losses of a full queue")
struct QueueLossTests {
    /// Feedback about `lost` packets that were lost, and others, ten in all.
    private static func add(lost: Int, queue: Double, to losses: inout QueueLoss) {
        for number in 0..<10 {
            losses.add(TransportPacketResult(size: 1_200, sent: .zero, arrival: number < lost ? nil : .zero))
        }
        losses.endFeedback(queue: queue)
    }

    /// Feedback alternately with a queue of 10 ms and without one.
    private static func losses(withQueue: Int, without: Int, count: Int = 100) -> QueueLoss {
        var losses = QueueLoss()
        for _ in 0..<count {
            add(lost: withQueue, queue: 0.01, to: &losses)
            add(lost: without, queue: 0.001, to: &losses)
        }
        return losses
    }

    @Test("are those that do not occur without a queue")
    func queue() {
        #expect(Self.losses(withQueue: 2, without: 0).isLikely(at: 0.1))
        #expect(!Self.losses(withQueue: 1, without: 1).isLikely(at: 0.1))
        // The loss has risen since.
        #expect(Self.losses(withQueue: 1, without: 1).isLikely(at: 0.25))
    }

    @Test("may be all, as long as little has been sent without a queue")
    func unknown() {
        #expect(QueueLoss().isLikely(at: 0.02))
        #expect(Self.losses(withQueue: 1, without: 1, count: 5).isLikely(at: 0.1))
    }

    @Test("do not include packets that were only late")
    func late() {
        var losses = Self.losses(withQueue: 0, without: 1)
        #expect(!losses.isLikely(at: 0.02))
        for _ in 0..<100 {
            var result = TransportPacketResult(size: 1_200, sent: .zero, arrival: .zero)
            result.wasReportedLost = true
            losses.add(result)
        }
        losses.endFeedback(queue: 0)
        #expect(losses.isLikely(at: 0.02))
    }
}
