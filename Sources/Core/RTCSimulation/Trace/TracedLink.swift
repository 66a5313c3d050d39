import RTCWire

/// One direction of a traced call's path, as its sender saw it: what arrived, waited and was lost in each tenth of a second.
package struct TracedLink: Sendable {
    /// A tenth of a second.
    package struct Interval: Sendable, Hashable {
        /// Whether the trace has lines of this time.
        package internal(set) var isKnown = false
        package internal(set) var packetsSent = 0.0
        package internal(set) var packetsArrived = 0.0
        /// With the headers of IP and UDP.
        package internal(set) var bytesArrived = 0.0
        package internal(set) var packetsLost = 0.0
        package internal(set) var lossRuns = 0.0
        package internal(set) var packetsReordered = 0.0
        /// The sum of the times by which these were late, in milliseconds.
        package internal(set) var reorderingDelay = 0.0
        /// The standing queue, in milliseconds.
        package internal(set) var queue = 0.0
        package internal(set) var isInFlight = false
        package internal(set) var target = 0.0
    }

    /// From `begin` on, the path without its queue takes `delay`.
    struct Delay: Sendable, Hashable {
        /// In intervals.
        var begin: Int
        /// One way, in milliseconds: half of the shortest round trip.
        var delay: Double
    }

    package let intervals: [Interval]
    let delays: [Delay]

    /// In milliseconds.
    static let length: Int64 = 100
    /// The headers of IPv4 and UDP, which the trace does not count.
    private static let overhead = 28.0
    /// A longer time without a line, in milliseconds, means that lines are missing. Quiet connections write one a second.
    private static let longestPause: Int64 = 1_300
    /// What is acknowledged before a line came within this time, in milliseconds, however long the pause before it.
    private static let sampleLength: Int64 = 150

    package init(_ trace: CallTrace) {
        let end = min(trace.samples.last?.time ?? .zero, CallTrace.longest).milliseconds
        var intervals = [Interval](repeating: Interval(), count: trace.samples.isEmpty ? 0 : Int(end / Self.length) + 1)
        var before: Int64 = 0
        for sample in trace.samples {
            let time = sample.time.milliseconds
            let pause = time - before
            Self.spread(sample, over: pause <= Self.sampleLength ? pause : Self.length, in: &intervals)
            // A state stands until the next line says otherwise.
            let (first, last) = (Int(before / Self.length), Int(time / Self.length))
            for index in (pause <= Self.longestPause ? first : last)...last {
                intervals[index].isKnown = true
                let isNewest = index == last || pause <= Self.sampleLength
                guard isNewest || index > first else { continue }
                intervals[index].queue = isNewest ? Double(sample.queue.milliseconds) : intervals[index - 1].queue
                intervals[index].target =
                    isNewest ? Double(sample.target.bitsPerSecond) : intervals[index - 1].target
                intervals[index].isInFlight = isNewest ? sample.bytesInFlight > 0 : intervals[index - 1].isInFlight
            }
            before = time
        }
        self.intervals = intervals
        delays = Self.delays(of: trace)
    }

    /// Adds the counts of a line to the intervals that it covers.
    private static func spread(_ sample: CallTrace.Sample, over length: Int64, in intervals: inout [Interval]) {
        let end = sample.time.milliseconds
        var time = max(end - max(length, 1), 0)
        let whole = Double(max(end - time, 1))
        while time < end {
            let index = Int(time / Self.length)
            let next = min((time / Self.length + 1) * Self.length, end)
            let share = Double(next - time) / whole
            intervals[index].add(sample, share: share, overhead: overhead)
            time = next
        }
    }

    /// The delay of each path, without its first second, in which the smoothed round trip may be another path's.
    private static func delays(of trace: CallTrace) -> [Delay] {
        let begins = [TimeDelta.zero] + trace.pathChanges
        var found: [Delay] = []
        var position = trace.samples.startIndex
        for (index, begin) in begins.enumerated() {
            let end = index + 1 < begins.count ? begins[index + 1] : .seconds(.max)
            var shortest: Int64?
            while position < trace.samples.endIndex, trace.samples[position].time < end {
                let sample = trace.samples[position]
                position += 1
                guard sample.roundTripTime > .zero else { continue }
                if !found.isEmpty, sample.time - begin < .seconds(1) { continue }
                shortest = min(shortest ?? .max, sample.roundTripTime.milliseconds)
            }
            guard let shortest else { continue }
            let delay = Delay(begin: found.isEmpty ? 0 : Int(begin.milliseconds / length), delay: Double(shortest) / 2)
            if found.last?.begin == delay.begin { found.removeLast() }
            if found.last?.delay != delay.delay { found.append(delay) }
        }
        return found.isEmpty ? [Delay(begin: 0, delay: 0)] : found
    }

    func delay(at index: Int) -> Double {
        let latest = delays.latest(at: index) { $0.begin }
        return latest?.delay ?? 0
    }

    /// The bitrate that arrived from one interval to another, in bit/s.
    package func bitrate(_ range: Range<Int>) -> Double {
        let range = range.clamped(to: intervals.indices)
        guard !range.isEmpty else { return 0 }
        return intervals[range].reduce(0) { $0 + $1.bytesArrived } * 8_000 / Double(range.count) / Double(Self.length)
    }
}

extension TracedLink.Interval {
    fileprivate mutating func add(_ sample: CallTrace.Sample, share: Double, overhead: Double) {
        packetsSent += Double(sample.packetsSent) * share
        packetsArrived += Double(sample.packetsAcknowledged) * share
        bytesArrived += (Double(sample.bytesAcknowledged) + Double(sample.packetsAcknowledged) * overhead) * share
        packetsLost += Double(sample.packetsLost) * share
        lossRuns += Double(sample.lossRuns) * share
        packetsReordered += Double(sample.packetsReordered) * share
        reorderingDelay += Double(sample.reorderingDelay.milliseconds) * share
    }
}

extension Array {
    /// The last element that begins at `index` or before, of elements in the order of `begin`.
    func latest(at index: Int, begin: (Element) -> Int) -> Element? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if begin(self[middle]) <= index { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self[low - 1] : nil
    }
}
