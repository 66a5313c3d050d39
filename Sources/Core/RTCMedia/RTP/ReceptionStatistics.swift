package import RTCWire

/// What a receiver counts of one SSRC ([RFC 3550, sections 6.4 and A.1 to A.8](https://www.rfc-editor.org/rfc/rfc3550#appendix-A.1)).
package struct ReceptionStatistics: Sendable {
    /// The classification of a packet by its sequence number.
    enum Verdict: Sendable, Hashable {
        /// The extended sequence number.
        case valid(Int64)
        /// The stream has restarted: its first extended number, higher than all before.
        case restarted(Int64)
        /// Too far from the previous ones. The next number in sequence will be accepted.
        case implausible
    }

    package let ssrc: SynchronizationSource
    package private(set) var packetsReceived: UInt64 = 0
    package private(set) var bytesReceived: UInt64 = 0
    /// The highest number so far, without wrapping; `nil` before the first packet.
    package private(set) var highest: Int64?
    package private(set) var lastArrival: Instant?

    private var clockRate: UInt32
    private var base: Int64 = 0
    /// The number that would confirm a restart; an RTP sequence number plus one, or `nil`.
    private var expectedAfterJump: UInt16?
    /// The packets received in the current run of numbers, from `base`.
    private var receivedSinceBase: Int64 = 0
    private var lostBeforeBase: Int64 = 0
    private var expectedPrior: Int64 = 0
    private var receivedPrior: Int64 = 0
    /// The interarrival jitter in ticks, times 16.
    private var scaledJitter: Int64 = 0
    private var lastTimestamp: RTPTimestamp?
    private var lastTransit: UInt32 = 0
    private var lastReport: (middle: UInt32, arrival: Instant)?

    /// RFC 3550, appendix A.1
    private static let maximumDropout = 3_000
    /// More than the 100 of RFC 3550: packets that a stall delayed on one path arrive after those of another path.
    private static let maximumMisorder = 1_000

    init(ssrc: SynchronizationSource, clockRate: UInt32) {
        self.ssrc = ssrc
        self.clockRate = clockRate
    }

    /// Changes the clock rate of the timestamps.
    mutating func setClockRate(_ clockRate: UInt32) {
        scaledJitter = scaledJitter * Int64(clockRate) / Int64(max(self.clockRate, 1))
        self.clockRate = clockRate
        lastTimestamp = nil
    }

    /// Counts a packet that arrived at `now` with `size` bytes of payload.
    ///
    /// There is no probation: SRTP has authenticated the packet, which probation can only guess.
    mutating func receive(_ header: borrowing RTPHeader, size: Int, at now: Instant) -> Verdict {
        let verdict = validate(header.sequenceNumber)
        let isNewest: Bool
        switch verdict {
        case .implausible: return verdict
        case .valid(let number):
            isNewest = number == highest
        case .restarted(let number):
            // Losses of the previous run remain counted.
            lostBeforeBase += expected - receivedSinceBase
            receivedSinceBase = 0
            base = number
            highest = number
            expectedPrior = 0
            receivedPrior = 0
            lastTimestamp = nil
            isNewest = true
        }
        receivedSinceBase += 1
        packetsReceived += 1
        bytesReceived += UInt64(size)
        lastArrival = now
        if isNewest { measureJitter(header.timestamp, at: now) }
        return verdict
    }

    /// Validates a number (appendix A.1): a jump is accepted when the following number arrives.
    private mutating func validate(_ number: RTPSequenceNumber) -> Verdict {
        guard let highest else {
            // Starts one cycle (65,536) up, so that packets from before the first one that arrive late still get
            // positive numbers.
            let first = Int64(number.rawValue) + 65_536
            highest = first
            base = first
            return .valid(first)
        }
        let distance = RTPSequenceNumber(UInt16(truncatingIfNeeded: highest)).distance(to: number)
        if distance > -Self.maximumMisorder, distance < Self.maximumDropout {
            expectedAfterJump = nil
            let extended = highest + Int64(distance)
            if extended > highest { self.highest = extended }
            // Late packets from before the first one count as part of the run.
            if extended < base { base = extended }
            return .valid(extended)
        }
        guard number.rawValue == expectedAfterJump else {
            expectedAfterJump = number.rawValue &+ 1
            return .implausible
        }
        expectedAfterJump = nil
        // Continues in the next cycle, so that extended numbers only grow.
        return .restarted((highest | 0xFFFF) + 1 + Int64(number.rawValue))
    }

    /// Measures jitter (appendix A.8) on the first packet of each frame: the pacer delays the others, which is not the
    /// network's jitter.
    private mutating func measureJitter(_ timestamp: RTPTimestamp, at now: Instant) {
        guard timestamp != lastTimestamp else { return }
        let arrival = UInt32(truncatingIfNeeded: RTPClock.ticks(now - .zero, clockRate: clockRate))
        let transit = arrival &- timestamp.rawValue
        defer {
            lastTransit = transit
            lastTimestamp = timestamp
        }
        guard lastTimestamp != nil else { return }
        let difference = Int64(Int32(bitPattern: transit &- lastTransit).magnitude)
        // A reset of the clock is not jitter.
        guard difference < 5 * Int64(clockRate) else { return }
        scaledJitter += difference - ((scaledJitter + 8) >> 4)
    }

    /// Packets that should have arrived since `base`.
    private var expected: Int64 { highest.map { $0 - base + 1 } ?? 0 }

    /// Packets that did not arrive, less those that arrived twice (appendix A.3).
    package var packetsLost: Int64 { lostBeforeBase + expected - receivedSinceBase }

    /// The interarrival jitter.
    package var jitter: TimeDelta { RTPClock.time(scaledJitter >> 4, clockRate: clockRate) }

    /// Notes the arrival of the peer's sender report, to which report blocks refer.
    mutating func noteSenderReport(_ time: NTPTimestamp, at now: Instant) {
        lastReport = (time.middle, now)
    }

    /// The block of the next report, which ends the interval of the fraction lost; `nil` before the first packet.
    mutating func reportBlock(at now: Instant) -> ReportBlock? {
        guard let highest else { return nil }
        let expectedInInterval = expected - expectedPrior
        let lostInInterval = expectedInInterval - (receivedSinceBase - receivedPrior)
        expectedPrior = expected
        receivedPrior = receivedSinceBase
        var block = ReportBlock(ssrc: ssrc)
        if expectedInInterval > 0, lostInInterval > 0 {
            block.fractionLost = UInt8(min((lostInInterval << 8) / expectedInInterval, 255))
        }
        block.cumulativeLost = Int32(clamping: packetsLost)
        // The first cycle has number 0.
        block.highestSequenceNumber = UInt32(truncatingIfNeeded: highest - 65_536)
        block.jitter = UInt32(truncatingIfNeeded: scaledJitter >> 4)
        if let lastReport {
            block.lastSenderReport = lastReport.middle
            let (seconds, rest) = (now - lastReport.arrival).nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            block.delaySinceLastSenderReport = UInt32(
                clamping: (min(seconds, 65_535) << 16) + (rest << 16) / 1_000_000_000)
        }
        return block
    }
}
