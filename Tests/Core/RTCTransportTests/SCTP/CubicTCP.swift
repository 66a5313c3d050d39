import RTCWire

/// A TCP sender with CUBIC (RFC 9438) and selective acknowledgements that always has something to send: who shares a
/// link with us in tests. It is written anew from the document, so that a fault of ours is not on both sides.
struct CubicTCP {
    static let packetSize = 1_500

    private var window = 10.0
    private var threshold = Double.infinity
    private var plateau = 0.0
    private var epoch: Instant?
    private var additive = 0.0
    private var timeToPlateau = 0.0
    private var roundTripTime = 0.1
    private var next = 0
    /// What is under way, in the order of sending.
    private var underway: [(number: Int, sent: Instant)] = []
    private var recoveryEnd = -1
    private(set) var arrived = 0

    var maySend: Bool { Double(underway.count) < window }

    mutating func send(at now: Instant) -> Int {
        underway.append((next, now))
        next += 1
        return next - 1
    }

    /// When nothing has been acknowledged for a second, all is lost.
    mutating func checkTimeout(at now: Instant) {
        guard let first = underway.first, now - first.sent > .seconds(1) else { return }
        underway = []
        reduce()
        window = 1
    }

    /// The packet has arrived. Three that were sent later show that one is lost.
    mutating func acknowledge(_ number: Int, at now: Instant) {
        guard let index = underway.firstIndex(where: { $0.number == number }) else { return }
        arrived += Self.packetSize
        roundTripTime = roundTripTime * 7 / 8 + (now - underway[index].sent).seconds / 8
        underway.remove(at: index)
        let lost = underway.prefix { $0.number < number - 2 }.count
        if lost > 0 {
            let last = underway[lost - 1].number
            underway.removeFirst(lost)
            if last > recoveryEnd {
                recoveryEnd = next
                reduce()
            }
        }
        if window < threshold { window += 1 } else { grow(at: now) }
    }

    private mutating func reduce() {
        plateau = window < plateau ? window * 0.85 : window
        window = max(window * 0.7, 2)
        threshold = window
        epoch = nil
    }

    private mutating func grow(at now: Instant) {
        if epoch == nil {
            epoch = now
            additive = window
            plateau = max(plateau, window)
            // The cube root of what is missing, over 0.4, by bisection.
            var (low, high) = (0.0, 1_000.0)
            for _ in 0..<60 {
                let middle = (low + high) / 2
                if 0.4 * middle * middle * middle < plateau - window { low = middle } else { high = middle }
            }
            timeToPlateau = low
        }
        let time = (now - (epoch ?? now)).seconds + roundTripTime - timeToPlateau
        let target = min(max(plateau + 0.4 * time * time * time, window), 1.5 * window)
        additive += (additive < plateau ? 0.53 : 1) / window
        window = max(window + (target - window) / window, additive)
    }
}
