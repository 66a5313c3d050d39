/// Finds out that the clock of a device runs differently from the one that fills its store, and says what to do about it.
///
/// What is left when the device has taken its share goes up and down with every piece. Only the least of a second tells
/// whether there is too much or too little.
struct ClockWatch: Sendable {
    enum Change: Equatable {
        /// `isUrgent`: a worse seam is accepted.
        case shorten(isUrgent: Bool)
        case lengthen(isUrgent: Bool)
    }

    /// What is to be left at least, and at most, in milliseconds. The longest period, 15 ms, fits between.
    static let least = 4
    static let most = 24
    /// For so many milliseconds a good seam is looked for.
    static let patience = 2_000

    private var seen = 0
    private var slack: Int?
    /// How much too much or too little there is, and how many samples ago that was found.
    private var excess = 0
    private var waited = 0

    /// The device asks for `count` samples.
    ///
    /// - Parameter slack: Samples of each channel that will be left.
    mutating func note(slack: Int, of count: Int, sampleRate: Int) -> Change? {
        guard slack >= 0 else {
            // The silence that stands for what is missing makes the store larger by so much.
            self = ClockWatch()
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

    /// - Parameter made: Samples that were put in, or less than zero that were taken out.
    mutating func didChange(by made: Int, sampleRate: Int) {
        guard made != 0 else {
            // What is found nowhere in twice the time is looked for anew.
            if waited * 1_000 > 2 * Self.patience * sampleRate { excess = 0 }
            return
        }
        waited = 0
        // One period is enough for clocks; more than that has another reason, and is made up for in a row.
        excess += made
        if abs(excess) * 1_000 < 15 * sampleRate { excess = 0 }
    }
}
