/// Detects that the clock of a device differs from the clock that fills its buffer, and decides how to correct it.
///
/// The fill level after a read varies with every buffer. Only its minimum over a second shows whether the buffer grows or
/// shrinks.
struct ClockDriftDetector: Sendable {
    enum Change: Equatable {
        /// `isUrgent`: an audible seam is accepted.
        case shorten(isUrgent: Bool)
        case lengthen(isUrgent: Bool)
    }

    /// The target range of the minimum fill level, in milliseconds. The longest pitch period, 15 ms, fits between.
    static let least = 4
    static let most = 24
    /// The time, in milliseconds, for which a good seam is searched.
    static let patience = 2_000

    private var seen = 0
    private var slack: Int?
    /// The surplus (or deficit, if negative) in samples, and the number of samples played since it was detected.
    private var excess = 0
    private var waited = 0

    /// Records that the device requests `count` samples.
    ///
    /// - Parameter slack: The samples per channel that remain afterwards.
    mutating func note(slack: Int, of count: Int, sampleRate: Int) -> Change? {
        guard slack >= 0 else {
            // The inserted silence makes the buffer longer by the same amount.
            self = ClockDriftDetector()
            return nil
        }
        if excess == 0 {
            self.slack = min(self.slack ?? slack, slack)
            seen += count
            guard seen >= sampleRate, let least = self.slack else { return nil }
            let bounds = (Self.least * sampleRate / 1_000)...(Self.most * sampleRate / 1_000)
            excess = least - min(max(least, bounds.lowerBound), bounds.upperBound)
            seen = 0
            self.slack = nil
            waited = 0
        }
        guard excess != 0 else { return nil }
        waited += count
        let isUrgent = waited * 1_000 > Self.patience * sampleRate
        return excess > 0 ? .shorten(isUrgent: isUrgent) : .lengthen(isUrgent: isUrgent)
    }

    /// - Parameter made: The number of inserted samples, negative if they were removed.
    mutating func didChange(by made: Int, sampleRate: Int) {
        guard made != 0 else {
            // If no seam is found in twice the time, the measurement restarts.
            if waited * 1_000 > 2 * Self.patience * sampleRate { excess = 0 }
            return
        }
        waited = 0
        // One period suffices for clock drift; a larger difference has another cause, and is corrected by several in a row.
        excess += made
        if abs(excess) * 1_000 < 15 * sampleRate { excess = 0 }
    }
}
