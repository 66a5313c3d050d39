internal import RTCWire

/// TSNs that have arrived without a gap, both ends included.
struct ReceivedRange: Equatable {
    var first: TransmissionSequenceNumber
    var last: TransmissionSequenceNumber
}

/// Which DATA chunks have arrived: what a SACK reports (RFC 9260, section 6.2).
struct ReceivedTSNs {
    /// Gaps beyond this number are not remembered: a chunk that would open another is treated as lost.
    static let maximumRanges = 4_096
    /// A gap ack block reaches no further.
    static let maximumDistance = 65_535
    private static let maximumDuplicates = 32

    /// All up to this one have arrived.
    private(set) var cumulative: TransmissionSequenceNumber
    /// What has arrived beyond: ascending, with a gap before each.
    private(set) var ranges: [ReceivedRange] = []
    /// What arrived more than once since the last SACK; a part, when there is too much.
    private(set) var duplicates: [TransmissionSequenceNumber] = []

    init(initialTSN: TransmissionSequenceNumber) {
        cumulative = initialTSN.previous
    }

    enum Arrival {
        /// The one that was waited for.
        case next
        /// Beyond a gap, or into one.
        case ahead
        case duplicate
        /// Too far ahead, or one gap too many.
        case unreasonable
    }

    /// What it means when `tsn` arrives; nothing is noted yet.
    func classify(_ tsn: TransmissionSequenceNumber) -> Arrival {
        let distance = cumulative.distance(to: tsn)
        if distance == 1 { return .next }
        if distance <= 0 { return .duplicate }
        if distance > Self.maximumDistance { return .unreasonable }
        let index = indexOfRange(endingAtOrAfter: tsn)
        if index < ranges.count, ranges[index].first <= tsn { return .duplicate }
        if ranges.count < Self.maximumRanges { return .ahead }
        let touchesPrevious = index > 0 && ranges[index - 1].last.next == tsn
        let touchesNext = index < ranges.count && ranges[index].first == tsn.next
        return touchesPrevious || touchesNext ? .ahead : .unreasonable
    }

    /// Notes a TSN that is ``Arrival/next`` or ``Arrival/ahead``.
    mutating func insert(_ tsn: TransmissionSequenceNumber) {
        if tsn == cumulative.next {
            cumulative = tsn
            absorbFirstRange()
            return
        }
        let index = indexOfRange(endingAtOrAfter: tsn)
        let touchesPrevious = index > 0 && ranges[index - 1].last.next == tsn
        let touchesNext = index < ranges.count && ranges[index].first == tsn.next
        switch (touchesPrevious, touchesNext) {
        case (true, true):
            ranges[index - 1].last = ranges[index].last
            ranges.remove(at: index)
        case (true, false): ranges[index - 1].last = tsn
        case (false, true): ranges[index].first = tsn
        case (false, false): ranges.insert(ReceivedRange(first: tsn, last: tsn), at: index)
        }
    }

    mutating func noteDuplicate(_ tsn: TransmissionSequenceNumber) {
        if duplicates.count < Self.maximumDuplicates { duplicates.append(tsn) }
    }

    /// Forgets the duplicates, which a SACK has reported.
    mutating func clearDuplicates() {
        if !duplicates.isEmpty { duplicates.removeAll(keepingCapacity: true) }
    }

    /// Counts everything up to `tsn` as arrived (RFC 3758, section 3.6).
    mutating func skip(to tsn: TransmissionSequenceNumber) {
        guard tsn > cumulative else { return }
        cumulative = tsn
        let passed = ranges.prefix { $0.last <= tsn }.count
        ranges.removeFirst(passed)
        if let first = ranges.first, first.first <= tsn {
            cumulative = first.last
            ranges.removeFirst()
        } else {
            absorbFirstRange()
        }
    }

    private mutating func absorbFirstRange() {
        guard let first = ranges.first, first.first == cumulative.next else { return }
        cumulative = first.last
        ranges.removeFirst()
    }

    /// The first range whose end is not before `tsn`: the one that holds it, or that follows it.
    private func indexOfRange(endingAtOrAfter tsn: TransmissionSequenceNumber) -> Int {
        // Chunks beyond a loss mostly arrive in order, after everything else.
        guard let last = ranges.last, last.last >= tsn else { return ranges.count }
        var low = 0
        var high = ranges.count - 1
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].last >= tsn { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
