internal import RTCWire

/// A contiguous range of received TSNs, both ends included.
struct ReceivedRange: Equatable {
    var first: TransmissionSequenceNumber
    var last: TransmissionSequenceNumber
}

/// The set of received DATA chunks, which a SACK reports (RFC 9260, section 6.2).
struct ReceivedTSNs {
    /// The limit on ranges: a chunk that would open another gap is treated as lost.
    static let maximumRanges = 4_096
    /// The largest distance that a gap ack block can express.
    static let maximumDistance = 65_535
    private static let maximumDuplicates = 32

    /// All TSNs up to this one have arrived.
    private(set) var cumulative: TransmissionSequenceNumber
    /// The TSNs received beyond it: ascending ranges with a gap before each.
    private(set) var ranges: [ReceivedRange] = []
    /// TSNs received more than once since the last SACK; bounded.
    private(set) var duplicates: [TransmissionSequenceNumber] = []

    init(initialTSN: TransmissionSequenceNumber) {
        cumulative = initialTSN.previous
    }

    enum Arrival {
        /// The TSN after ``cumulative``.
        case next
        /// A TSN beyond a gap, or inside one.
        case ahead
        case duplicate
        /// A TSN too far ahead, or one gap too many.
        case unreasonable
    }

    /// Classifies `tsn` without recording it.
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

    /// Records a TSN that is ``Arrival/next`` or ``Arrival/ahead``.
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

    /// Clears the duplicates after a SACK has reported them.
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

    /// The index of the first range that contains or follows `tsn`.
    private func indexOfRange(endingAtOrAfter tsn: TransmissionSequenceNumber) -> Int {
        // After a loss, chunks mostly arrive in order at the end.
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
