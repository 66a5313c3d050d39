import RTCTransport
import RTCWire

/// What a link does to packets in one direction.
struct LinkConditions {
    var delay: TimeDelta = .milliseconds(10)
    /// Up to so much is added to the delay of each packet, which reorders them.
    var jitter: TimeDelta = .zero
    /// Probability of a packet to be lost.
    var loss = 0.0
    /// Probability that a burst of losses begins, and that it goes on.
    var burstBegins = 0.0
    var burstGoesOn = 0.0
    var duplication = 0.0
    /// `nil` is without limit.
    var rate: Bitrate?
    /// Bytes that wait at the bottleneck at most.
    var queueLimit = Int.max

    static let terrible = LinkConditions(
        delay: .milliseconds(150), jitter: .milliseconds(30), loss: 0.3, duplication: 0.05)
}

/// Something that sends and receives packets: an association, or data channels.
protocol PacketEndpoint {
    mutating func receive(_ packet: RawSpan, at now: Instant)
    mutating func pollTransmit(into memory: UnsafeMutableRawBufferPointer, at now: Instant) -> Int
    mutating func handleTimeout(at now: Instant)
    var nextDeadline: Instant? { get }
}

extension SCTPAssociation: PacketEndpoint {}
extension DataChannelTransport: PacketEndpoint {}

/// Two endpoints and the link between them, in virtual time. The same seed gives the same run.
struct SimulatedLink<Endpoint: PacketEndpoint> {
    var a: Endpoint
    var b: Endpoint
    private(set) var now = Instant.zero
    var conditions: LinkConditions {
        get { toB }
        set {
            toA = newValue
            toB = newValue
        }
    }
    var toA = LinkConditions()
    var toB = LinkConditions()
    /// Sees each packet before the link does; `false` loses it.
    var filter: (_ packet: [UInt8], _ isToB: Bool) -> Bool = { _, _ in true }
    private(set) var packetsToA = 0
    private(set) var packetsToB = 0
    private(set) var bytesToB = 0
    private(set) var largestPacket = 0

    private struct Flight {
        var arrival: Instant
        var order: Int
        var isToB: Bool
        var packet: [UInt8]

        static func < (left: Flight, right: Flight) -> Bool {
            left.arrival != right.arrival ? left.arrival < right.arrival : left.order < right.order
        }
    }

    private var heap: [Flight] = []
    private var order = 0
    private var isInBurst = false
    /// When the bottleneck will have sent what waits, towards A and towards B.
    private var freeAt = (Instant.zero, Instant.zero)
    private let random: SeededRandom
    private var memory = [UInt8](repeating: 0, count: 2_048)

    init(_ a: Endpoint, _ b: Endpoint, conditions: LinkConditions = LinkConditions(), seed: UInt64 = 1) {
        self.a = a
        self.b = b
        random = SeededRandom(seed: seed)
        self.conditions = conditions
    }

    /// Lets time pass until `deadline`, or until `isDone` holds. Calls `react` after each step, where endpoints can be
    /// drained and fed. Answers whether `isDone` held.
    @discardableResult
    mutating func run(
        for duration: TimeDelta, react: (inout SimulatedLink) -> Void = { _ in },
        until isDone: (SimulatedLink) -> Bool = { _ in false }
    ) -> Bool {
        let deadline = now + duration
        var steps = 0
        while steps < 20_000_000 {
            steps += 1
            react(&self)
            flush()
            if isDone(self) { return true }
            let wake = [heap.first?.arrival, a.nextDeadline, b.nextDeadline].compactMap { $0 }.min() ?? .distantFuture
            if wake > deadline {
                now = deadline
                return false
            }
            now = max(now, wake)
            deliver()
            if let due = a.nextDeadline, due <= now { a.handleTimeout(at: now) }
            if let due = b.nextDeadline, due <= now { b.handleTimeout(at: now) }
        }
        return false
    }

    private mutating func flush() {
        while let packet = Self.poll(&a, &memory, now) { send(packet, isToB: true) }
        while let packet = Self.poll(&b, &memory, now) { send(packet, isToB: false) }
    }

    private static func poll(_ endpoint: inout Endpoint, _ memory: inout [UInt8], _ now: Instant) -> [UInt8]? {
        let count = memory.withUnsafeMutableBytes { endpoint.pollTransmit(into: $0, at: now) }
        return count > 0 ? Array(memory[..<count]) : nil
    }

    private mutating func send(_ packet: [UInt8], isToB: Bool) {
        largestPacket = max(largestPacket, packet.count)
        if isToB { packetsToB += 1 } else { packetsToA += 1 }
        if isToB { bytesToB += packet.count }
        let conditions = isToB ? toB : toA
        guard filter(packet, isToB) else { return }
        isInBurst = random.nextUnit() < (isInBurst ? conditions.burstGoesOn : conditions.burstBegins)
        guard !isInBurst, random.nextUnit() >= conditions.loss else { return }
        var departure = now
        if let rate = conditions.rate {
            let free = max(now, isToB ? freeAt.1 : freeAt.0)
            guard (free - now).nanoseconds < rate.time(toSend: conditions.queueLimit).nanoseconds else { return }
            departure = free + rate.time(toSend: packet.count + 60)
            if isToB { freeAt.1 = departure } else { freeAt.0 = departure }
        }
        fly(packet, isToB, departure, conditions)
        if random.nextUnit() < conditions.duplication { fly(packet, isToB, departure, conditions) }
    }

    private mutating func fly(_ packet: [UInt8], _ isToB: Bool, _ departure: Instant, _ conditions: LinkConditions) {
        var arrival = departure + conditions.delay
        if conditions.jitter > .zero {
            arrival += .nanoseconds(Int64(random.next(below: UInt64(conditions.jitter.nanoseconds))))
        }
        order += 1
        push(Flight(arrival: arrival, order: order, isToB: isToB, packet: packet))
    }

    private mutating func deliver() {
        while let first = heap.first, first.arrival <= now {
            pop()
            first.packet.withUnsafeBytes {
                if first.isToB { b.receive($0.bytes, at: now) } else { a.receive($0.bytes, at: now) }
            }
        }
    }

    private mutating func push(_ flight: Flight) {
        heap.append(flight)
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func pop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1..<2 * parent + 3 where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

typealias SCTPLink = SimulatedLink<SCTPAssociation>

extension SimulatedLink where Endpoint == SCTPAssociation {
    /// Two associations that have not met.
    init(
        configuration: SCTPConfiguration = SCTPConfiguration(), other: SCTPConfiguration? = nil,
        conditions: LinkConditions = LinkConditions(), seed: UInt64 = 1
    ) {
        let random = SeededRandom(seed: seed &+ 1_000)
        self.init(
            SCTPAssociation(configuration: configuration, random: random),
            SCTPAssociation(configuration: other ?? configuration, random: random), conditions: conditions, seed: seed)
    }

    /// Connects both ends and takes their `established` events.
    @discardableResult
    mutating func connect() -> Bool {
        a.connect(at: now)
        b.connect(at: now)
        return run(for: .seconds(60), until: { $0.a.isEstablished && $0.b.isEstablished })
    }
}

extension SCTPAssociation {
    /// All events that wait.
    mutating func drain() -> [SCTPEvent] {
        var events: [SCTPEvent] = []
        while let event = pollEvent() { events.append(event) }
        return events
    }

    /// All messages that wait, consumed.
    mutating func drainMessages(at now: Instant) -> [SCTPMessage] {
        var messages: [SCTPMessage] = []
        while let event = pollEvent() {
            if case .message(let message) = event {
                consumed(message.bytes.count, at: now)
                messages.append(message)
            }
        }
        return messages
    }

    mutating func deliver(_ packet: [UInt8], at now: Instant) {
        packet.withUnsafeBytes { receive($0.bytes, at: now) }
    }

    /// The next packet, or an empty array.
    mutating func transmit(at now: Instant) -> [UInt8] {
        var memory = [UInt8](repeating: 0, count: 2_048)
        let count = memory.withUnsafeMutableBytes { pollTransmit(into: $0, at: now) }
        return Array(memory[..<count])
    }
}
