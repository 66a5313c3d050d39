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
    /// How long that addition stays as it is, as on a radio link.
    var jitterPeriod = TimeDelta.zero
    /// The share of the packets that are overtaken, and by how much they come later.
    var reordering = (share: 0.0, lateness: TimeDelta.zero)
    /// By how much the reference time of the next feedback is wrong, in its units of 64 ms.
    var wildUnits: Int32 = 0
    /// Over how many of the 33 ms of a frame its packets are spread.
    var spread = 20
    /// What the encoder wants to send at most.
    var encoderLimit = Double.infinity

    var estimator: BandwidthEstimator
    private(set) var now = Instant.zero
    /// Somebody else who uses the path.
    var tcp: SimulatedTCP?
    private(set) var lost = 0
    /// Bytes that have got through the bottleneck.
    private(set) var received = 0
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
    private var extra = (delay: TimeDelta.zero, until: Instant.zero)
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
            sendTCP()
            deliver()
            now += .milliseconds(1)
        }
    }

    /// Lets `seconds` go by.
    ///
    /// - Returns: What got through the bottleneck, in bits per second.
    mutating func throughput(over seconds: Double) -> Double {
        let before = received
        run(seconds)
        return Double(received - before) * 8 / seconds
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
        received += size
        busyUntil = max(busyUntil, now) + .nanoseconds(Int64(Double(size) * 8 / capacity * 1e9))
        if now >= extra.until {
            extra = (TimeDelta(nanoseconds: Int64(random.nextUnit() * Double(jitter.nanoseconds))), now + jitterPeriod)
        }
        lastArrival = max(lastArrival, busyUntil + delay + extra.delay)
        guard reordering.share > 0, random.nextUnit() < reordering.share else {
            insert(lastArrival, number)
            return
        }
        insert(lastArrival + reordering.lateness, number)
    }

    private mutating func sendTCP() {
        guard var tcp = tcp.take() else { return }
        tcp.acknowledge(at: now)
        while tcp.maySend {
            let isLost = max(busyUntil - now, .zero) > queueLimit
            if !isLost {
                busyUntil = max(busyUntil, now) + .nanoseconds(Int64(Double(SimulatedTCP.size) * 8 / capacity * 1e9))
            }
            // What is lost is noticed when the packet behind it is acknowledged.
            tcp.send(isLost: isLost, acknowledgedAt: max(busyUntil, now) + delay * 2)
        }
        self.tcp = tcp
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
            var bytes = PacketBytes.write {
                writer.write(
                    from: SynchronizationSource(1), media: SynchronizationSource(2), at: now + clockOffset, to: &$0)
            }
            guard !bytes.isEmpty else { break }
            if wildUnits != 0 {
                let time = Int32(bytes[16]) << 16 | Int32(bytes[17]) << 8 | Int32(bytes[18])
                for index in 0..<3 {
                    bytes[16 + index] = UInt8(truncatingIfNeeded: (time &+ wildUnits) >> (16 - 8 * Int32(index)))
                }
                wildUnits = 0
            }
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

/// A TCP connection that has no end of data, with the window of CUBIC (RFC 9438).
struct SimulatedTCP {
    static let size = 1_500

    private(set) var window = 10.0
    /// What the receiver lets be under way.
    var receiveWindow = Double.infinity
    private var threshold = Double.infinity
    private var most = 0.0
    private var lastLoss: Instant?
    private var roundTripTime = TimeDelta.milliseconds(50)
    private var underway: [(time: Instant, isLost: Bool)] = []
    private var recoveryEnd = Instant.zero

    var maySend: Bool { Double(underway.count) < min(window, receiveWindow) }

    mutating func send(isLost: Bool, acknowledgedAt time: Instant) { underway.append((time, isLost)) }

    mutating func acknowledge(at now: Instant) {
        let done = underway.prefix { $0.time <= now }
        underway.removeFirst(done.count)
        for packet in done {
            if packet.isLost {
                guard now > recoveryEnd else { continue }
                most = window
                window = max(window * 0.7, 2)
                threshold = window
                lastLoss = now
                recoveryEnd = underway.last?.time ?? now
            } else if window < threshold {
                window += 1
            } else {
                let since = lastLoss.map { (now - $0).seconds } ?? 0
                var root = most * 0.3 / 0.4
                // The cube root, by Newton.
                let cube = root
                root = max(root, 1)
                for _ in 0..<30 { root -= (root * root * root - cube) / (3 * root * root) }
                let offset = since - root
                let wanted = 0.4 * offset * offset * offset + most
                if wanted > window { window += min((wanted - window) / window, 0.5) } else { window += 0.01 / window }
            }
        }
    }
}
