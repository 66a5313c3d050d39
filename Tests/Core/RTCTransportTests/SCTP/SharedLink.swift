import Foundation
import RTCTransport
import RTCWire

/// An association that sends as much as it can, and TCP beside it, on one bottleneck: a rate with a queue in front of it,
/// and a delay. Acknowledgements come back after the same delay. In virtual time.
struct SharedLink {
    var a: SCTPAssociation
    var b: SCTPAssociation
    var tcp: CubicTCP?
    /// Payload that the association has carried.
    private(set) var arrived = 0
    /// What a packet waits for now.
    var queue: TimeDelta { max(freeAt - now, .zero) }
    private(set) var now = Instant.zero

    /// Whether tests print what they see, as DUET_MEDIA_REPORT=1 has it for calls.
    static let isReported = ProcessInfo.processInfo.environment["DUET_MEDIA_REPORT"] != nil

    private enum Packet {
        case toB([UInt8])
        case toA([UInt8])
        case segment(Int)
        case acknowledgement(Int)
    }

    private var heap: [(time: Instant, order: Int, packet: Packet)] = []
    private var order = 0
    private var freeAt = Instant.zero
    private let rate: Bitrate
    private let limit: TimeDelta
    private let delay: TimeDelta
    private let loss: Double
    private let isPolicer: Bool
    private let random: SeededRandom
    private let payload = [UInt8](repeating: 1, count: 16_384)

    /// - Parameter isPolicer: Whether what the queue would hold passes at once: what a policer lets through in a burst.
    init(
        rate: Bitrate, queue: TimeDelta, delay: TimeDelta, loss: Double = 0, isPolicer: Bool = false, seed: UInt64,
        configuration: SCTPConfiguration = SCTPConfiguration()
    ) {
        random = SeededRandom(seed: seed)
        a = SCTPAssociation(configuration: configuration, random: random)
        b = SCTPAssociation(configuration: configuration, random: random)
        self.rate = rate
        limit = queue
        self.delay = delay
        self.loss = loss
        self.isPolicer = isPolicer
        a.connect(at: now)
        b.connect(at: now)
    }

    /// - Parameter isSending: Whether the association sends.
    mutating func run(for time: TimeDelta, isSending: Bool = true, _ look: (SharedLink) -> Void = { _ in }) {
        let end = now + time
        var nextLook = now
        while true {
            fill(isSending)
            flush()
            let wake = [heap.first?.time, a.nextDeadline, b.nextDeadline].compactMap { $0 }.min() ?? end
            if wake > end { break }
            now = max(now, wake)
            if now >= nextLook {
                tcp?.checkTimeout(at: now)
                look(self)
                nextLook = now + .milliseconds(10)
            }
            deliver()
            if let due = a.nextDeadline, due <= now { a.handleTimeout(at: now) }
            if let due = b.nextDeadline, due <= now { b.handleTimeout(at: now) }
        }
        now = end
    }

    private mutating func fill(_ isSending: Bool) {
        while isSending, a.isEstablished, a.unsentBytes(of: 0) < 1 << 20 {
            let message = SCTPMessage(stream: 0, protocolIdentifier: 1, bytes: payload)
            guard (try? a.send(message, at: now)) != nil else { break }
        }
        for message in b.drainMessages(at: now) { arrived += message.bytes.count }
    }

    private mutating func flush() {
        while true {
            let packet = a.transmit(at: now)
            guard !packet.isEmpty else { break }
            enter(packet.count + 57, .toB(packet))
        }
        while true {
            let packet = b.transmit(at: now)
            guard !packet.isEmpty else { break }
            push(.toA(packet), at: now + delay)
        }
        while tcp?.maySend == true {
            guard let number = tcp?.send(at: now) else { break }
            enter(CubicTCP.packetSize, .segment(number))
        }
    }

    private mutating func enter(_ size: Int, _ packet: Packet) {
        guard max(freeAt - now, .zero) <= limit else { return }
        freeAt = max(freeAt, now) + rate.time(toSend: size)
        guard random.nextUnit() >= loss else { return }
        push(packet, at: (isPolicer ? now : freeAt) + delay)
    }

    private mutating func deliver() {
        while let first = heap.first, first.time <= now {
            pop()
            switch first.packet {
            case .toB(let packet): b.deliver(packet, at: now)
            case .toA(let packet): a.deliver(packet, at: now)
            case .segment(let number): push(.acknowledgement(number), at: now + delay)
            case .acknowledgement(let number): tcp?.acknowledge(number, at: now)
            }
        }
    }

    private mutating func push(_ packet: Packet, at time: Instant) {
        order += 1
        heap.append((time, order, packet))
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
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
            for child in 2 * parent + 1..<2 * parent + 3 where child < heap.count && isBefore(child, least) {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].time, heap[left].order) < (heap[right].time, heap[right].order)
    }
}
