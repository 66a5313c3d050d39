import RTCWire

@testable import RTCMedia

/// A path in virtual time, with a bottleneck whose queue has a limit, and a sender that sends as much as the estimator
/// allows: what the estimator is tested with.
struct SimulatedPath {
    /// In bits per second.
    var capacity: Double
    /// One way, without the queue.
    var delay = TimeDelta.milliseconds(25)
    /// How long the queue may get; what comes then is lost.
    var queueLimit = TimeDelta.milliseconds(300)
    var randomLoss = 0.0
    /// The receiver's clock against ours.
    var clockOffset = TimeDelta.seconds(1_234)
    /// Added to each packet's delay, at most; packets stay in order.
    var jitter = TimeDelta.zero
    /// The share of the packets that are overtaken, and by how much they come later.
    var reordering = (share: 0.0, lateness: TimeDelta.zero)
    /// Over how many of the 33 ms of a frame its packets are spread.
    var spread = 20
    /// What the encoder wants to send at most.
    var encoderLimit = Double.infinity

    var estimator: BandwidthEstimator
    private(set) var now = Instant.zero
    private(set) var lost = 0
    private(set) var sent = 0
    /// The queue's delay at its longest since it was last set.
    var longestQueue = TimeDelta.zero

    private var reader = TransportFeedbackReader()
    private var writer = TransportFeedbackWriter()
    private var busyUntil = Instant.zero
    private var lastArrival = Instant.zero
    private var arrivals: [(time: Instant, number: TransportSequenceNumber)] = []
    private var feedback: [(time: Instant, bytes: [UInt8])] = []
    /// Bytes of the frame that have not left, and those of them whose time has come.
    private var credit = 0.0
    private var allowance = 0.0
    private let random = SeededRandom(seed: 3)

    init(capacity: Double, estimator: BandwidthEstimator = BandwidthEstimator()) {
        self.capacity = capacity
        self.estimator = estimator
    }

    /// Lets `seconds` go by. Frames come 30 times a second, and leave over `spread` ms.
    mutating func run(_ seconds: Double) {
        let end = now + .nanoseconds(Int64(seconds * 1e9))
        while now < end {
            let step = Int((now - .zero).milliseconds % 33)
            if step == 0 { credit += min(Double(estimator.target.bitsPerSecond), encoderLimit) / 8 * 0.033 }
            if step < spread {
                allowance += (credit - allowance) / Double(spread - step)
                while allowance >= min(1_200, credit), credit >= 1 {
                    let size = min(1_200, max(Int(credit), 100))
                    send(size)
                    credit -= Double(size)
                    allowance -= Double(size)
                }
            }
            deliver()
            now += .milliseconds(1)
        }
    }

    private mutating func send(_ size: Int) {
        let number = reader.nextNumber
        reader.noteSent(size: size, at: now)
        sent += 1
        let queue = max(busyUntil - now, .zero)
        longestQueue = max(longestQueue, queue)
        guard queue <= queueLimit, random.nextUnit() >= randomLoss else {
            lost += 1
            return
        }
        busyUntil = max(busyUntil, now) + .nanoseconds(Int64(Double(size) * 8 / capacity * 1e9))
        let extra = TimeDelta(nanoseconds: Int64(random.nextUnit() * Double(jitter.nanoseconds)))
        lastArrival = max(lastArrival, busyUntil + delay + extra)
        guard reordering.share > 0, random.nextUnit() < reordering.share else {
            insert(lastArrival, number)
            return
        }
        insert(lastArrival + reordering.lateness, number)
    }

    private mutating func insert(_ time: Instant, _ number: TransportSequenceNumber) {
        let place = arrivals.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        arrivals.insert((time, number), at: place)
    }

    private mutating func deliver() {
        let arrived = arrivals.prefix { $0.time <= now }
        for (time, number) in arrived { writer.record(number, at: time + clockOffset) }
        arrivals.removeFirst(arrived.count)
        // The receiver looks at its own clock.
        while writer.nextDeadline <= now + clockOffset {
            let bytes = PacketBytes.write {
                writer.write(
                    from: SynchronizationSource(1), media: SynchronizationSource(2), at: now + clockOffset, to: &$0)
            }
            guard !bytes.isEmpty else { break }
            feedback.append((now + delay, bytes))
        }
        while let (time, bytes) = feedback.first, time <= now {
            feedback.removeFirst()
            PacketBytes.forEachRTCP(bytes) { packet in
                guard let feedback = TransportFeedback(packet), reader.handle(feedback) else { return }
                estimator.update(reader.results, at: now)
            }
        }
    }

    var target: Double { Double(estimator.target.bitsPerSecond) }
}
