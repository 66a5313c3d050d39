/// Estimates the loss of sent media from the other side's receiver reports: its share, and the length of bursts.
///
/// A report covers about 25 packets of audio. At 10 % of loss one report in fourteen shows none, and at 2 % every second one, so
/// no single report shows whether redundancy is worthwhile. The share grows with a memory of 200 packets and shrinks
/// with one of 500.
///
/// Reports do not tell which packets were lost; the variation of their counts shows the length of bursts. The variance
/// of independent losses about equals their mean, and that of bursts is larger by a factor of their length.
package struct PacketLossEstimator: Sendable {
    static let growth = 200.0
    static let shrinkage = 500.0
    static let burstMemory = 2_000.0
    /// The number of losses below which bursts cannot be judged.
    static let minimumLosses = 4.0

    /// The share of packets that get lost, 0 to 1.
    package private(set) var share = 0.0
    private var before: (reported: UInt64, lost: Int32)?
    /// Decaying sums with a memory of ``burstMemory`` packets: packets, losses, and squared deviations of the reports
    /// from the mean.
    private var packets = 0.0
    private var lost = 0.0
    private var squares = 0.0

    package init() {}

    /// Processes the last report. Does nothing if it was already processed.
    package mutating func note(_ report: RemoteReception) {
        note(reported: report.packetsReported, lost: report.packetsLost)
    }

    /// - Parameters:
    ///   - reported: The number of packets sent up to the newest one that the report covers.
    ///   - lost: The total of lost packets, which duplicates may reduce.
    mutating func note(reported: UInt64, lost total: Int32) {
        guard let before else {
            before = (reported, total)
            // The first report covers the start of the stream too.
            if total >= 0, reported < 1_000 { add(Double(min(UInt64(total), reported)), of: Double(reported)) }
            return
        }
        guard reported > before.reported else { return }
        self.before = (reported, total)
        let count = Double(reported - before.reported)
        add(min(max(Double(total) - Double(before.lost), 0), count), of: count)
    }

    private mutating func add(_ lost: Double, of count: Double) {
        guard count > 0 else { return }
        let now = lost / count
        let memory = now > share ? Self.growth : Self.shrinkage
        share += (now - share) * count / (count + memory)
        let kept = Self.burstMemory / (Self.burstMemory + count)
        packets = packets * kept + count
        self.lost = self.lost * kept + lost
        let difference = lost - count * self.lost / packets
        squares = squares * kept + difference * difference
    }

    /// The mean length of a loss burst, in packets: 1 or more.
    package var burstLength: Double {
        guard lost >= Self.minimumLosses, packets > lost else { return 1 }
        return max(1, squares / lost / (1 - lost / packets))
    }

    /// The loss to encode for where each packet carries a copy of the one before it, 0 to 1.
    ///
    /// Of packets that are lost in a row, such a copy gives back the last. It is worth its bits for one loss in a hundred
    /// packets, however long the rows are, and worth more of them the more often one is lost alone.
    package var repairableByNext: Double { min(max(share / burstLength, min(share, 0.01)), 0.3) }
}
