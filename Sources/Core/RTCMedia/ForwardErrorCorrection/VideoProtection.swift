public import RTCWire

/// Decides how much forward error correction protects sent video, and which packets.
///
/// A retransmission costs bits only where something was lost, so parity is sent only where a retransmission would come
/// too late: over a long round trip, and only while packets get lost. Each packet saves up for its parity; at the end of a
/// frame what was saved is spent on the frames since the last parity. Several parities that protect the packets of several
/// frames together recover far more than one for each frame, so they wait for each other for a short time. Key frames save
/// more.
@usableFromInline package struct VideoProtection: Sendable {
    /// The newest packets, to be protected now.
    @usableFromInline package struct Block: Sendable, Hashable {
        @usableFromInline package var packets: Int
        /// How many packets of error correction protect them.
        @usableFromInline package var parities: Int
        /// Whether each parity protects every n-th packet, where n is the number of parities, so that a burst of n losses is
        /// recovered. Otherwise most packets belong to several parities, which recovers more of single losses.
        @usableFromInline package var isInterleaved: Bool

        @usableFromInline package init(packets: Int, parities: Int, isInterleaved: Bool = true) {
            self.packets = packets
            self.parities = parities
            self.isInterleaved = isInterleaved
        }

        /// Whether a parity protects a packet; both count from 0.
        func protects(_ packet: Int, in parity: Int) -> Bool {
            guard parities > 0, packet >= 0 else { return false }
            let first = packet % parities
            if isInterleaved { return first == parity }
            if parities <= Self.subsets.count {
                let subsets = Self.subsets[parities - 1]
                return subsets[packet % subsets.count] >> UInt8(parity) & 1 != 0
            }
            // Two parities for each packet, and another two for each as far as there are.
            return parity == first || parity == (first + 1 + packet / parities % (parities - 1)) % parities
        }

        /// For one to four parities, the sets of them that packets belong to in turn, as bits: the larger ones first. No
        /// two of the packets in one turn belong to the same.
        private static let subsets: [[UInt8]] = [
            [0b1], [0b11, 0b01, 0b10], [0b111, 0b011, 0b101, 0b110, 0b001, 0b010, 0b100],
            [
                0b1111, 0b0111, 0b1011, 0b1101, 0b1110, 0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100, 0b0001, 0b0010,
                0b0100, 0b1000,
            ],
        ]
    }

    /// The round trips at which protection begins and ends.
    static let (begin, end) = (TimeDelta.milliseconds(160), TimeDelta.milliseconds(130))
    /// The shares of lost packets at which it begins and ends.
    static let (beginLoss, endLoss) = (0.01, 0.005)
    /// The parities of a packet for its share of losses: single ones, and in bursts, which are all or nothing.
    static let (factor, burstFactor) = (5.0, 10.0)
    /// The most parities of a packet.
    static let mostOverhead = 0.5
    /// How much more a key frame saves, and the most.
    static let keyFrameFactor = 2.0
    static let mostKeyFrameOverhead = 0.6
    /// The length from which on losses are bursts.
    static let leastBurst = 2.0
    /// The parities that wait for each other against single losses, and the most against bursts.
    static let (usualRows, mostRows) = (3, 8)
    /// The longest that parity waits for more frames.
    static let (usualWait, longestWait) = (TimeDelta.milliseconds(100), TimeDelta.milliseconds(150))
    /// The most packets that are protected together.
    static let mostPackets = ULPFECPayload.longestSpan

    /// How many parities a packet pays for; 0 while nothing is protected.
    @usableFromInline package private(set) var overhead = 0.0
    /// How many parities are sent together, if there is time.
    private var rows = usualRows
    private var wait = usualWait
    private var isInterleaved = false
    /// The packets since the last parity.
    private var pending: (first: Int64, end: Int64, since: Instant)?
    private var saved = 0.0

    @usableFromInline package init() {}

    /// Whether packets must be wrapped, so that they can be protected.
    @usableFromInline package var isActive: Bool { overhead > 0 }

    /// Updates the decision.
    ///
    /// - Parameters:
    ///   - loss: The losses that the other side reports.
    ///   - roundTrip: The time from a loss to its retransmission; `nil` while it is unknown.
    package mutating func update(_ loss: PacketLossEstimator, roundTrip: TimeDelta?) {
        update(share: loss.share, burst: loss.burstLength, roundTrip: roundTrip)
    }

    mutating func update(share: Double, burst: Double, roundTrip: TimeDelta?) {
        guard let roundTrip, roundTrip >= (isActive ? Self.end : Self.begin),
            share >= (isActive ? Self.endLoss : Self.beginLoss)
        else { return stop() }
        isInterleaved = burst >= Self.leastBurst
        overhead = min(share * (isInterleaved ? Self.burstFactor : Self.factor), Self.mostOverhead)
        rows = isInterleaved ? Int(min(burst, Double(Self.mostRows)) + 0.5) : Self.usualRows
        // Later, a retransmission would be as early.
        wait = min(isInterleaved ? Self.longestWait : Self.usualWait, roundTrip / 2)
    }

    /// Protects nothing.
    @usableFromInline package mutating func stop() { self = VideoProtection() }

    /// Notes that a frame was written in packets that can be protected.
    ///
    /// - Parameters:
    ///   - first: The first of its packets.
    ///   - count: How many there are.
    /// - Returns: What to protect now.
    @usableFromInline package mutating func frame(
        from first: RTPPacketReference, count: Int, isKeyFrame: Bool, at now: Instant
    ) -> Block? {
        guard isActive, count > 0 else { return nil }
        let end = first.index + Int64(count)
        let share = isKeyFrame ? min(overhead * Self.keyFrameFactor, Self.mostKeyFrameOverhead) : overhead
        // Savings of many frames would protect the next one beyond reason.
        saved = min(saved + share * Double(count), Double(Self.mostRows) + share * Double(count))
        // Packets that were withdrawn are not part of it, nor more than one mask can name.
        if let before = pending, before.end == first.index, end - before.first <= Int64(Self.mostPackets) {
            pending?.end = end
        } else {
            pending = (first.index, end, now)
        }
        guard let block = pending, count <= Self.mostPackets else {
            pending = nil
            return nil
        }
        let packets = Int(block.end - block.first)
        let isDue = saved >= Double(rows) || now - block.since >= wait || packets * 2 > Self.mostPackets || isKeyFrame
        guard isDue, saved >= 1 else { return nil }
        let parities = min(Int(saved), max(isKeyFrame ? packets * 3 / 4 : packets / 2, 1))
        saved -= Double(parities)
        pending = nil
        return Block(packets: packets, parities: parities, isInterleaved: isInterleaved)
    }
}
