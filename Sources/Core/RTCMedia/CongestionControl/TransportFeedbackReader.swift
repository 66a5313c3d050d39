public import RTCWire

/// The result of a sent packet, as the receiver reports it.
@frozen
@usableFromInline package struct TransportPacketResult: Sendable, Hashable {
    /// Bytes, as they were noted when it left.
    @usableFromInline package var size: Int
    @usableFromInline package var sent: Instant
    /// On the receiver's clock, whose epoch is unknown: only differences mean something. `nil` when it was lost.
    @usableFromInline package var arrival: Instant?
    /// Whether an earlier result reported the packet as lost: it was reordered.
    @usableFromInline package var wasReportedLost = false
    /// Whether the packet was also, or only, sent on a second path: the result does not show which path it concerns.
    @usableFromInline package var usedSecondPath = false
}

/// Numbers the packets of a transport, and matches the receiver's feedback with what was sent.
@usableFromInline package struct TransportFeedbackReader: Sendable {
    private enum State: UInt8, Sendable {
        case underway, lost, arrived
        /// Reported as missing, perhaps only because later packets took a shorter path.
        case missing
    }

    private struct Slot: Sendable {
        var number: Int64 = -1
        var sent = Instant.zero
        var size: Int32 = 0
        var state = State.underway
        var usedSecondPath = false
        /// All bytes sent up to and including this packet.
        var sum: Int64 = 0
    }

    /// The number of packets remembered; a power of two.
    static let window: Int64 = 4_096

    private var slots: [Slot] = []
    /// The next number, without wrapping.
    private var next: Int64 = 1
    /// The reference time of the last feedback that reported an arrival, in units of 64 ms, without wrapping.
    private var reference: Int64?
    /// The longest step between two reference times: beyond it, times are counted from the 24 bits of the feedback anew.
    private static let longestStep: Int64 = 300_000 / 64
    /// Where reference times stay, so that no arrival time is out of bounds, in whatever steps they grow.
    private static let references: ClosedRange<Int64> = -(1 << 32)...1 << 32

    /// The new results of the last feedback, in the order of the packet numbers. Reused for the next feedback.
    @usableFromInline package private(set) var results: [TransportPacketResult] = []
    /// The bytes that have left after the newest packet with a known result. Earlier packets are lost, or arrived
    /// without being reported.
    @usableFromInline package var bytesInFlight: Int { Int(sumSent - sumKnown) }
    /// For tests: the number of packets processed because of feedback, the work that a peer can cause.
    package private(set) var visitedStatuses: UInt64 = 0

    private var sumSent: Int64 = 0
    private var sumKnown: Int64 = 0
    /// The newest packet with known status, and the first packet sent on this path.
    private var newestKnown: Int64 = 0
    private var firstOfPath: Int64 = 1
    /// The newest packet that was also sent on a second path.
    private var newestCopied: Int64 = 0
    /// The packets in the state ``State/missing``, in the order of their reports.
    private var missing = RingBuffer<Int64>()

    @usableFromInline package init() {}

    /// The number that the next packet gets.
    @usableFromInline package var nextNumber: TransportSequenceNumber {
        TransportSequenceNumber(UInt16(truncatingIfNeeded: next))
    }

    /// A packet with ``nextNumber`` has left.
    ///
    /// - Parameters:
    ///   - size: Its bytes, with what SRTP adds; the same measure is used for bitrates.
    ///   - usesSecondPath: Whether it also, or only, leaves on a second path.
    @usableFromInline package mutating func noteSent(size: Int, usesSecondPath: Bool = false, at now: Instant) {
        if slots.isEmpty { slots = [Slot](repeating: Slot(), count: Int(Self.window)) }
        let index = slot(next)
        let size = Int32(clamping: max(size, 0))
        sumSent += Int64(size)
        slots[index] = Slot(number: next, sent: now, size: size, usedSecondPath: usesSecondPath, sum: sumSent)
        if usesSecondPath { newestCopied = next }
        next += 1
    }

    /// Ignores results for earlier packets, after a change of the path.
    @usableFromInline package mutating func pathChanged() {
        firstOfPath = next
        newestKnown = next - 1
        sumKnown = sumSent
        reference = nil
        missing = RingBuffer()
    }

    private func slot(_ number: Int64) -> Int { Int(truncatingIfNeeded: number & (Self.window - 1)) }

    /// Processes feedback, and stores the new results in ``results``.
    ///
    /// - Returns: `false` for feedback about packets that were never sent, which is ignored.
    @discardableResult
    @usableFromInline package mutating func handle(_ feedback: borrowing TransportFeedback) -> Bool {
        results.removeAll(keepingCapacity: true)
        let newest = TransportSequenceNumber(UInt16(truncatingIfNeeded: next - 1))
        let first = next - 1 + Int64(newest.distance(to: feedback.base))
        guard !slots.isEmpty, first >= 0, first + Int64(feedback.count) <= next, feedback.count <= Self.window else {
            return false
        }
        let time = extended(feedback.referenceTime)
        let base = Instant.zero + TransportFeedback.referenceUnit * time
        var statuses = copy feedback
        var number = first
        while let status = statuses.next() {
            let index = slot(number)
            visitedStatuses += 1
            defer { number += 1 }
            guard slots[index].number == number, slots[index].state != .arrived, number >= firstOfPath else { continue }
            let isNews = slots[index].state == .underway
            if number > newestKnown {
                newestKnown = number
                sumKnown = slots[index].sum
            }
            if let arrival = status.arrival {
                let wasReportedLost = slots[index].state == .lost
                slots[index].state = .arrived
                reference = time
                if !slots[index].usedSecondPath { settleMissing(before: number) }
                append(index, arrival: base + arrival, wasReportedLost: wasReportedLost)
            } else if isNews {
                if number < newestCopied, !slots[index].usedSecondPath, Int64(missing.count) < Self.window {
                    slots[index].state = .missing
                    missing.append(number)
                } else {
                    slots[index].state = .lost
                    append(index, arrival: nil)
                }
            }
        }
        return true
    }

    /// The reference time without wrapping: the nearest to the last one.
    private func extended(_ referenceTime: Int32) -> Int64 {
        let time = Int64(referenceTime)
        guard let reference else { return time }
        // A signed 24-bit difference.
        let difference = (time &- reference) & 0xFF_FFFF
        let step = difference < 0x80_0000 ? difference : difference - 0x100_0000
        guard abs(step) <= Self.longestStep, Self.references.contains(reference + step) else { return time }
        return reference + step
    }

    /// Reports packets as lost that are missing although a later packet arrived on the same path.
    private mutating func settleMissing(before number: Int64) {
        while let first = missing.first, first < number {
            _ = missing.popFirst()
            let index = slot(first)
            guard slots[index].number == first, slots[index].state == .missing else { continue }
            slots[index].state = .lost
            append(index, arrival: nil)
        }
    }

    private mutating func append(_ index: Int, arrival: Instant?, wasReportedLost: Bool = false) {
        results.append(
            TransportPacketResult(
                size: Int(slots[index].size), sent: slots[index].sent, arrival: arrival,
                wasReportedLost: wasReportedLost, usedSecondPath: slots[index].usedSecondPath))
    }
}
