/// The rate of a traced link over time.
///
/// It is known where a queue stood: then the link was never idle, and what arrived is what it carries. Elsewhere it is at least
/// what arrived, and otherwise taken to be what it was before.
struct TracedRates: Sendable, Hashable {
    /// From `begin` on, until the next step.
    struct Step: Sendable, Hashable {
        /// In intervals.
        var begin: Int
        /// In bit/s.
        var bitrate: Double
    }

    /// Empty if a queue never stood.
    private(set) var steps: [Step] = []

    /// Half a second.
    private struct Bucket {
        /// What arrived at all, and while a queue stood, with what was lost behind the queue.
        var (bytes, fullBytes) = (0.0, 0.0)
        var (intervals, fullIntervals) = (0, 0)

        var isFull: Bool { fullIntervals >= 3 }
        var bitrate: Double { TracedRates.bitrate(bytes, intervals) }
        var fullBitrate: Double { TracedRates.bitrate(fullBytes, fullIntervals) }
    }

    /// A time in which the rate was the same.
    private struct Stretch {
        var first: Int
        var last: Int
        var buckets = 1
        var bytes: Double
        var intervals: Int

        init(_ bucket: Bucket, at index: Int) {
            (first, last, bytes, intervals) = (index, index, bucket.fullBytes, bucket.fullIntervals)
        }

        var bitrate: Double { TracedRates.bitrate(bytes, intervals) }

        mutating func add(_ bucket: Bucket, at index: Int) {
            last = index
            buckets += 1
            bytes += bucket.fullBytes
            intervals += bucket.fullIntervals
        }

        /// -1 or 1 if a bucket has clearly less or more.
        func difference(of bucket: Bucket) -> Int {
            bucket.fullBitrate > bitrate * 1.15 ? 1 : bucket.fullBitrate < bitrate * 0.87 ? -1 : 0
        }
    }

    private static let bucket = 5
    /// A standing queue, in milliseconds, that is more than inaccuracy.
    private static let notableQueue = 8.0
    /// After a silence, acknowledgements of all of it come at once, for so many intervals.
    private static let afterSilence = 2

    init(of link: TracedLink, _ silences: [TracedSilence], _ losses: TracedLosses) {
        let buckets = Self.buckets(of: link, silences, losses)
        let stretches = Self.stretches(of: buckets)
        for (number, stretch) in stretches.enumerated() {
            let next = number + 1 < stretches.count ? stretches[number + 1] : nil
            if number == 0 {
                // What arrived before shows more of the link than the first queue.
                let most = Self.most(in: buckets, 0..<stretch.first)
                if most > stretch.bitrate * 1.15 {
                    steps.append(Step(begin: 0, bitrate: most * 1.1))
                    steps.append(Step(begin: stretch.first * Self.bucket, bitrate: stretch.bitrate))
                } else {
                    steps.append(Step(begin: 0, bitrate: stretch.bitrate))
                }
            } else {
                steps.append(Step(begin: stretch.first * Self.bucket, bitrate: stretch.bitrate))
            }
            let rest = stretch.last + 1..<max(next?.first ?? buckets.count, stretch.last + 1)
            let rise = rest.first {
                Self.most(in: buckets, $0..<min($0 + 2, rest.upperBound), isMean: true) > stretch.bitrate * 1.15
            }
            guard let rise else { continue }
            let most = Self.most(in: buckets, rise..<rest.upperBound) * (next == nil ? 1.25 : 1.1)
            steps.append(Step(begin: rise * Self.bucket, bitrate: max(most, next?.bitrate ?? 0)))
        }
    }

    fileprivate static func bitrate(_ bytes: Double, _ intervals: Int) -> Double {
        intervals > 0 ? bytes * 8_000 / Double(TracedLink.length) / Double(intervals) : 0
    }

    private static func buckets(of link: TracedLink, _ silences: [TracedSilence], _ losses: TracedLosses) -> [Bucket] {
        var isLeftOut = [Bool](repeating: false, count: link.intervals.count)
        for silence in silences {
            let end = min(silence.range.upperBound + afterSilence, link.intervals.count)
            for index in silence.range.lowerBound..<end { isLeftOut[index] = true }
        }
        var buckets = [Bucket](repeating: Bucket(), count: (link.intervals.count + bucket - 1) / bucket)
        for step in losses.steps.indices {
            let end = step + 1 < losses.steps.count ? losses.steps[step + 1].begin : link.intervals.count
            let passed = max(1 - losses.steps[step].share, 0.05)
            for index in losses.steps[step].begin..<end where !isLeftOut[index] && link.intervals[index].isKnown {
                let interval = link.intervals[index]
                buckets[index / bucket].bytes += interval.bytesArrived / passed
                buckets[index / bucket].intervals += 1
                // Only if it stood at both ends was the link not idle in between.
                guard interval.queue >= notableQueue, index > 0, link.intervals[index - 1].queue >= notableQueue
                else { continue }
                buckets[index / bucket].fullBytes += interval.bytesArrived / passed
                buckets[index / bucket].fullIntervals += 1
            }
        }
        return buckets
    }

    /// Joins the buckets in which the link was full, while two in a row do not differ from those before.
    private static func stretches(of buckets: [Bucket]) -> [Stretch] {
        let full = buckets.indices.filter { buckets[$0].isFull }
        guard let first = full.first else { return [] }
        var found: [Stretch] = []
        var current = Stretch(buckets[first], at: first)
        for (position, index) in full.enumerated().dropFirst() {
            if most(in: buckets, full[position - 1] + 1..<index) > current.bitrate * 1.15 {
                // More has arrived in between than this stretch carried.
                if current.buckets > 1 { found.append(current) }
                current = Stretch(buckets[index], at: index)
                continue
            }
            let difference = current.difference(of: buckets[index])
            if difference == 0 {
                current.add(buckets[index], at: index)
            } else if position + 1 < full.count, current.difference(of: buckets[full[position + 1]]) == difference {
                // A single bucket is no stretch.
                let begin = current.buckets > 1 ? index : current.first
                if current.buckets > 1 { found.append(current) }
                current = Stretch(buckets[index], at: index)
                current.first = begin
            }
        }
        return found + [current]
    }

    /// The highest bitrate that arrived in some buckets, or the mean of them.
    private static func most(in buckets: [Bucket], _ range: Range<Int>, isMean: Bool = false) -> Double {
        guard !range.isEmpty else { return 0 }
        if isMean { return buckets[range].reduce(0) { $0 + $1.bitrate } / Double(range.count) }
        // Of two buckets together, since feedback comes in lumps.
        return range.reduce(0) { most, index in
            let next = index + 1 < range.upperBound ? buckets[index + 1].bitrate : buckets[index].bitrate
            return max(most, (buckets[index].bitrate + next) / 2)
        }
    }
}
