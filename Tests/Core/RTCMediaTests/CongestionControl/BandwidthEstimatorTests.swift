import RTCWire
import Testing

@testable import RTCMedia

@Suite("The bandwidth estimator")
struct BandwidthEstimatorTests {
    private static func estimator(maximum: Bitrate = .megabits(10)) -> BandwidthEstimator {
        BandwidthEstimator(.init(start: .kilobits(500), minimum: .kilobits(50), maximum: maximum))
    }

    @Test(
        "finds the capacity of a path within a few seconds, and stays below it",
        arguments: [300_000, 1_000_000, 2_500_000, 8_000_000] as [Double])
    func findsCapacity(capacity: Double) {
        var path = SimulatedPath(capacity: capacity, estimator: Self.estimator())
        path.run(10)
        #expect(path.target > capacity * 0.6, "\(path.target)")
        // From here on the queue stays short, and next to nothing is lost.
        path.longestQueue = .zero
        let (lost, sent) = (path.lost, path.sent)
        var sum = 0.0
        for _ in 0..<60 {
            path.run(1)
            sum += path.target
        }
        #expect(sum / 60 > capacity * 0.65, "\(sum / 60)")
        #expect(sum / 60 < capacity * 1.05)
        #expect(path.longestQueue < .milliseconds(250), "\(path.longestQueue.milliseconds)")
        #expect(Double(path.lost - lost) < Double(path.sent - sent) * 0.01)
    }

    @Test("follows a capacity that falls to a fifth, and rises again")
    func changingCapacity() {
        var path = SimulatedPath(capacity: 2_500_000, estimator: Self.estimator())
        path.run(10)
        path.capacity = 500_000
        path.run(3)
        #expect(path.target < 600_000, "\(path.target)")
        #expect(path.target > 200_000, "\(path.target)")
        path.longestQueue = .zero
        path.run(5)
        #expect(path.longestQueue < .milliseconds(250), "\(path.longestQueue.milliseconds)")
        path.capacity = 2_500_000
        path.run(25)
        #expect(path.target > 1_500_000, "\(path.target)")
    }

    @Test("does not take the path's own loss for congestion", arguments: [0.01, 0.05, 0.1, 0.2])
    func randomLoss(loss: Double) {
        var path = SimulatedPath(capacity: 2_000_000, estimator: Self.estimator())
        path.randomLoss = loss
        path.run(30)
        #expect(path.target > 500_000, "\(path.target)")
        #expect(path.target < 2_600_000, "\(path.target)")
    }

    @Test("takes packets that others overtake for neither congestion nor loss", arguments: [20, 100, 200])
    func reordering(lateness: Int64) {
        var path = SimulatedPath(capacity: 2_500_000, estimator: Self.estimator(maximum: .megabits(2)))
        path.reordering = (0.05, .milliseconds(lateness))
        path.run(10)
        var losses: [Double] = []
        var lowest = Double.infinity
        for _ in 0..<200 {
            path.run(0.1)
            losses.append(path.estimator.loss)
            lowest = min(lowest, path.target)
        }
        #expect(losses.reduce(0, +) / 200 < 0.02, "\(losses.reduce(0, +) / 200)")
        #expect(lowest > 1_400_000, "\(lowest)")
    }

    @Test(
        "has its part of a path whose buffer a TCP connection keeps full, and all of it when that has ended",
        arguments: [2_000_000, 3_000_000, 6_000_000] as [Double])
    func besideTCP(capacity: Double) {
        var path = SimulatedPath(capacity: capacity, estimator: Self.estimator())
        path.run(10)
        path.tcp = SimulatedTCP()
        path.run(5)
        let begin = path.received
        var least = Double.infinity
        for _ in 0..<6 {
            let before = path.received
            path.run(5)
            least = min(least, Double(path.received - before) * 8 / 5)
        }
        let share = Double(path.received - begin) * 8 / 30 / capacity
        #expect(share > 0.25 && share < 0.6, "\(share)")
        #expect(least > capacity / 20, "\(least)")
        path.tcp = nil
        path.run(5)
        path.longestQueue = .zero
        path.run(5)
        #expect(path.target > capacity * 0.75, "\(path.target)")
        #expect(path.longestQueue < .milliseconds(150), "\(path.longestQueue.milliseconds)")
    }

    @Test("has its part beside a TCP connection whose window is all that keeps the buffer from being full")
    func besideWindow() {
        var path = SimulatedPath(capacity: 3_000_000, estimator: Self.estimator())
        path.run(10)
        path.tcp = SimulatedTCP()
        path.tcp?.receiveWindow = 43
        path.run(5)
        for _ in 0..<6 {
            let share = path.throughput(over: 10) / 3_000_000
            #expect(share > 0.2 && share < 0.7, "\(share)")
        }
    }

    @Test("takes a path that has become longer for what it is")
    func longerPath() {
        var path = SimulatedPath(capacity: 3_000_000, estimator: Self.estimator())
        path.run(10)
        path.delay = .milliseconds(125)
        path.run(15)
        #expect(path.target > 1_500_000, "\(path.target)")
        path.run(60)
        path.longestQueue = .zero
        path.run(10)
        #expect(path.target > 2_000_000, "\(path.target)")
        #expect(path.longestQueue < .milliseconds(150), "\(path.longestQueue.milliseconds)")
    }

    @Test(
        "takes a path that has become longer for what it is, although its delay varies and packets are lost by chance",
        arguments: [80, 150, 250] as [Int64], [0, 0.02, 0.03, 0.05])
    func longerRadioPath(rise: Int64, loss: Double) {
        var path = SimulatedPath(capacity: 10_000_000, estimator: Self.estimator())
        path.randomLoss = loss
        path.jitter = .milliseconds(40)
        path.jitterPeriod = .milliseconds(50)
        path.run(30)
        path.delay = path.delay + .milliseconds(rise)
        path.run(40)
        let rate = path.throughput(over: 10)
        #expect(rate > 7_000_000, "\(rate)")
        #expect(!path.estimator.isCompeting)
    }

    @Test(
        "uses most of a radio link whose delay varies a little, and which loses packets by chance",
        arguments: [0, 0.01, 0.02, 0.03, 0.05], [10, 20] as [Int64])
    func radioPath(loss: Double, jitter: Int64) {
        var path = SimulatedPath(capacity: 10_000_000, estimator: Self.estimator())
        path.randomLoss = loss
        path.jitter = .milliseconds(jitter)
        path.jitterPeriod = .milliseconds(50)
        path.run(60)
        let rate = path.throughput(over: 60)
        #expect(rate > 8_000_000, "\(rate)")
    }

    @Test("has its part beside a TCP connection although the delay varies and packets are lost by chance")
    func besideTCPOnRadio() {
        var path = SimulatedPath(capacity: 2_000_000, estimator: Self.estimator())
        path.randomLoss = 0.01
        path.jitter = .milliseconds(20)
        path.jitterPeriod = .milliseconds(50)
        path.run(10)
        path.tcp = SimulatedTCP()
        path.run(5)
        for _ in 0..<7 {
            let share = path.throughput(over: 30) / 2_000_000
            #expect(share > 0.2 && share < 0.6, "\(share)")
        }
    }

    @Test("backs off when a short queue loses much")
    func shortQueue() {
        var path = SimulatedPath(capacity: 1_000_000, estimator: Self.estimator())
        path.queueLimit = .milliseconds(25)
        path.spread = 33
        path.run(20)
        let (lost, sent) = (path.lost, path.sent)
        path.run(20)
        #expect(Double(path.lost - lost) < Double(path.sent - sent) * 0.15)
        #expect(path.target > 400_000, "\(path.target)")
        #expect(path.target < 1_300_000, "\(path.target)")
    }

    @Test("is not frightened by jitter without a queue")
    func jitter() {
        var path = SimulatedPath(capacity: 5_000_000, estimator: Self.estimator(maximum: .megabits(2)))
        path.jitter = .milliseconds(30)
        path.run(30)
        #expect(path.target > 800_000, "\(path.target)")
    }

    @Test("does not rise far above what is sent")
    func applicationLimited() {
        var path = SimulatedPath(capacity: 5_000_000, estimator: Self.estimator())
        path.encoderLimit = 300_000
        path.run(20)
        #expect(path.target >= 400_000, "\(path.target)")
        #expect(path.target <= 1_000_000, "\(path.target)")
    }

    @Test("keeps to its limits and to a REMB, as long as that is fresh")
    func limits() {
        var path = SimulatedPath(capacity: 5_000_000, estimator: Self.estimator(maximum: .megabits(1)))
        path.run(10)
        #expect(path.target == 1_000_000)
        path.estimator.update(ReceiverEstimatedMaximumBitrate(bitrate: .kilobits(300)), at: path.now)
        #expect(path.target == 300_000)
        path.run(1)
        #expect(path.target == 300_000)
        path.run(6)
        #expect(path.target > 300_000)
        path.estimator.update(ReceiverEstimatedMaximumBitrate(bitrate: .kilobits(1)), at: path.now)
        #expect(path.target == 50_000)
    }

    @Test("follows a REMB alone, where there is no transport-wide feedback")
    func rembAlone() {
        var estimator = Self.estimator()
        #expect(estimator.target == .kilobits(500))
        for rate in [400, 2_000, 800] as [Int64] {
            estimator.update(ReceiverEstimatedMaximumBitrate(bitrate: .kilobits(rate)), at: .zero)
            #expect(estimator.target == .kilobits(rate))
        }
        estimator.update(ReceiverEstimatedMaximumBitrate(bitrate: Bitrate(bitsPerSecond: .max)), at: .zero)
        #expect(estimator.target == .megabits(10))
    }

    @Test("measures the round trip and what arrives")
    func measures() throws {
        var path = SimulatedPath(capacity: 5_000_000, estimator: Self.estimator(maximum: .kilobits(500)))
        path.run(10)
        let acknowledged = Double(try #require(path.estimator.acknowledgedBitrate).bitsPerSecond)
        #expect(abs(acknowledged - 500_000) < 60_000, "\(acknowledged)")
        let roundTrip = try #require(path.estimator.roundTripTime)
        #expect(roundTrip >= .milliseconds(50) && roundTrip < .milliseconds(110))
    }

    @Test(
        "goes on after one wild arrival time, of the future or of the past", arguments: [65_536, 400, -156] as [Int32])
    func wildArrival(units: Int32) {
        var path = SimulatedPath(capacity: 8_000_000, estimator: Self.estimator())
        path.run(2)
        let before = path.target
        path.wildUnits = units
        path.run(1)
        #expect(path.wildUnits == 0)
        #expect(path.estimator.acknowledgedBitrate != nil)
        path.run(4)
        #expect(path.target > before * 1.3, "\(before), \(path.target)")
    }

    @Test("survives times that make no sense", arguments: 1...10 as ClosedRange<UInt64>)
    func nonsense(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var estimator = Self.estimator(maximum: Bitrate(bitsPerSecond: .max))
        for _ in 0..<2_000 {
            func time() -> Instant {
                Instant(nanoseconds: Int64(bitPattern: random.next()) >> Int64(random.next(below: 60)))
            }
            let results = (0..<random.next(below: 10)).map { _ in
                TransportPacketResult(
                    size: Int(random.next(below: 1_500)), sent: time(),
                    arrival: random.next(below: 4) == 0 ? nil : time())
            }
            estimator.update(results, at: time())
            #expect(estimator.target >= .kilobits(50))
        }
    }
}
