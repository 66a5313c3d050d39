import RTCMedia
import RTCWire

/// A path with stalls and losses, for packets of sound that leave every 20 ms. Packets never overtake one another.
struct AudioTestPath {
    /// How long a packet takes at best.
    var delay = TimeDelta.milliseconds(20)
    /// What it may take in addition, evenly distributed.
    var jitter = TimeDelta.milliseconds(3)
    /// While it stalls nothing arrives; then everything does, one packet a millisecond.
    var stalls: (length: TimeDelta, period: TimeDelta, until: TimeDelta)?
    /// The share of packets that are lost, and how many at once.
    var loss = 0.0
    var burst = 1
    private let random: SeededRandom
    private var lastArrival = Instant.zero
    private var lostInRow = 0

    init(seed: UInt64 = 1) {
        random = SeededRandom(seed: seed)
    }

    /// When a packet arrives that is sent at `time`; `nil` when it is lost.
    mutating func arrival(of time: Instant) -> Instant? {
        if lostInRow > 0 {
            lostInRow -= 1
            return nil
        }
        // So that bursts are `loss` of all packets.
        let begin = loss / (Double(burst) * (1 - loss) + loss)
        if random.nextUnit() < begin {
            lostInRow = burst - 1
            return nil
        }
        var arrival = time + delay + jitter * Int64(random.next(below: 1_000)) / 1_000
        if let stalls, time - Instant.zero < stalls.until {
            let sinceStall = TimeDelta(nanoseconds: (arrival - Instant.zero).nanoseconds % stalls.period.nanoseconds)
            if sinceStall < stalls.length { arrival += stalls.length - sinceStall }
        }
        lastArrival = max(arrival, lastArrival + .milliseconds(1))
        return lastArrival
    }
}

extension AudioTestStream {
    /// Sends packets over `path` in this stretch of time.
    mutating func send(over path: inout AudioTestPath, from start: TimeDelta = .zero, until end: TimeDelta) {
        let period = TimeDelta.milliseconds(20)
        for index in (start.nanoseconds / period.nanoseconds)..<(end.nanoseconds / period.nanoseconds) {
            let time = Instant.zero + period * index
            guard let arrival = path.arrival(of: time) else { continue }
            send(UInt32(index), delay: arrival - time)
        }
    }

    /// Plays until `end`.
    ///
    /// - Returns: The share of what was played that was concealed.
    mutating func concealedShare(until end: TimeDelta) -> Double {
        let before = buffer.statistics
        play(until: end)
        let after = buffer.statistics
        return Double(after.concealedSamples - before.concealedSamples)
            / Double(after.totalSamplesReceived - before.totalSamplesReceived)
    }
}
