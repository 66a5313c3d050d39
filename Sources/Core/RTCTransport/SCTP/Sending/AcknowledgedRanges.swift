/// The positions that gap ack blocks have acknowledged, as ranges: repeated acknowledgements cost nothing.
struct AcknowledgedRanges {
    /// The limit on ranges. Blocks that would exceed it are ignored: no receiver keeps as many.
    static let maximumCount = 4_096

    /// In ascending order, with a gap between each two.
    private(set) var ranges: [Range<Int>] = []

    /// Adds a block.
    ///
    /// - Parameter news: Receives the newly acknowledged positions, in ascending order.
    /// - Returns: `false` when the block would exceed the limit; nothing has changed then.
    mutating func insert(_ block: Range<Int>, news: inout [Range<Int>]) -> Bool {
        let first = indexOfRange(endingAtOrAfter: block.lowerBound)
        var next = first
        var position = block.lowerBound
        while next < ranges.count, ranges[next].lowerBound <= block.upperBound {
            if position < ranges[next].lowerBound { news.append(position..<ranges[next].lowerBound) }
            position = max(position, ranges[next].upperBound)
            next += 1
        }
        if first == next, ranges.count >= Self.maximumCount { return false }
        if position < block.upperBound { news.append(position..<block.upperBound) }
        guard first < next else {
            ranges.insert(block, at: first)
            return true
        }
        let joined =
            min(ranges[first].lowerBound, block.lowerBound)..<max(ranges[next - 1].upperBound, block.upperBound)
        if next == first + 1 {
            ranges[first] = joined
        } else {
            ranges.replaceSubrange(first..<next, with: CollectionOfOne(joined))
        }
        return true
    }

    /// Removes the ranges that end at or before `position`.
    mutating func forget(before position: Int) {
        let over = ranges.prefix { $0.upperBound <= position }.count
        if over > 0 { ranges.removeFirst(over) }
    }

    /// The index of the first range that contains, touches or follows `position`.
    private func indexOfRange(endingAtOrAfter position: Int) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound >= position { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Tracks how far chunks were reported missing three times: each report is the arrival of a later position.
struct MissingReports {
    /// The three highest positions that arrived beyond a gap; a SACK for several packets counts several times.
    private var furthest = (0, 0, 0)

    /// All chunks before this position that have not arrived are lost.
    var lossEnd: Int { furthest.2 }

    mutating func add(_ position: Int, reports: Int) {
        for _ in 0..<min(reports, 3) {
            if position >= furthest.0 {
                furthest = (position, furthest.0, furthest.1)
            } else if position >= furthest.1 {
                furthest = (furthest.0, position, furthest.1)
            } else if position > furthest.2 {
                furthest.2 = position
            }
        }
    }
}
