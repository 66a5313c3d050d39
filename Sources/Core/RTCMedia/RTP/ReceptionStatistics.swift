public import RTCWire

/// What a receiver counts of one SSRC ([RFC 3550, sections 6.4 and A.1 to A.8](https://www.rfc-editor.org/rfc/rfc3550#appendix-A.1)).
public struct ReceptionStatistics: Sendable {
    /// What a packet's number says of it.
    enum Verdict: Sendable, Hashable {
        /// Its number, without wrapping.
        case valid(Int64)
        /// The stream began anew: this is its first number, later than all before.
        case restarted(Int64)
        /// Too far from what came before. The next number in a row will be believed.
        case implausible
    }

    public let ssrc: SynchronizationSource
    public private(set) var packetsReceived: UInt64 = 0
    public private(set) var bytesReceived: UInt64 = 0
    /// The highest number so far, without wrapping; `nil` before the first packet.
    public private(set) var highest: Int64?
    public private(set) var lastArrival: Instant?

    private var clockRate: UInt32
    private var base: Int64 = 0
    /// The number that would confirm a restart; a RTP number plus one, or `nil`.
    private var expectedAfterJump: UInt16?
    /// Packets in the current run of numbers, from `base`.
    private var receivedSinceBase: Int64 = 0
    private var lostBeforeBase: Int64 = 0
    private var expectedPrior: Int64 = 0
    private var receivedPrior: Int64 = 0
    /// In ticks, times 16.
    private var scaledJitter: Int64 = 0
    private var lastTimestamp: RTPTimestamp?
    private var lastTransit: UInt32 = 0
    private var lastReport: (middle: UInt32, arrival: Instant)?

    /// RFC 3550, appendix A.1
    private static let maximumDropout = 3_000
    /// More than its 100: what a stall held up on one path arrives after what came meanwhile by another one.
    private static let maximumMisorder = 1_000

    init(ssrc: SynchronizationSource, clockRate: UInt32) {
        self.ssrc = ssrc
        self.clockRate = clockRate
    }

    /// The timestamps count another clock from now on.
    mutating func setClockRate(_ clockRate: UInt32) {
        scaledJitter = scaledJitter * Int64(clockRate) / Int64(max(self.clockRate, 1))
        self.clockRate = clockRate
        lastTimestamp = nil
    }

    /// Counts a packet that arrived at `now` with `size` bytes of payload.
    ///
    /// There is no probation: SRTP has proved that the packet is the peer's, which is what probation guesses at.
    mutating func receive(_ header: borrowing RTPHeader, size: Int, at now: Instant) -> Verdict {
        let verdict = validate(header.sequenceNumber)
        let isNewest: Bool
        switch verdict {
        case .implausible: return verdict
        case .valid(let number):
            isNewest = number == highest
        case .restarted(let number):
            // What the run before lost stays lost.
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

    /// Appendix A.1: a jump is believed when the number after it follows.
    private mutating func validate(_ number: RTPSequenceNumber) -> Verdict {
        guard let highest else {
            // One turn of room, so that what came before the first packet and arrives after it stays positive.
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
        // In the next turn, so that numbers only grow.
        return .restarted((highest | 0xFFFF) + 1 + Int64(number.rawValue))
    }

    /// Appendix A.8, over the first packets of frames: the others leave when the pacer lets them, which would be taken
    /// for the network's doing.
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
        // A clock that was set anew is no jitter.
        guard difference < 5 * Int64(clockRate) else { return }
        scaledJitter += difference - ((scaledJitter + 8) >> 4)
    }

    /// Packets that should have arrived since `base`.
    private var expected: Int64 { highest.map { $0 - base + 1 } ?? 0 }

    /// Packets that did not arrive, less those that arrived twice (appendix A.3).
    public var packetsLost: Int64 { lostBeforeBase + expected - receivedSinceBase }

    /// The interarrival jitter.
    public var jitter: TimeDelta { RTPClock.time(scaledJitter >> 4, clockRate: clockRate) }

    /// Notes when the peer's sender report came, to which report blocks refer.
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
        // The first turn has number 0.
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
