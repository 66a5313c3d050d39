/// Measures random loss: the loss while the window is well below W_max, where congestion is unlikely.
struct RandomLoss {
    private var arrived = 0.0
    private var lost = 0.0
    /// The number of round trips since anything was counted.
    private var age = 0

    /// The factor by which the counts decay per round trip.
    private static let memory = 0.98
    /// The number of packets, or of lost ones, below which the loss ratio is not meaningful.
    private static let (leastPackets, leastLost) = (100.0, 8.0)
    /// The loss ratio that is tolerated before random loss is known.
    private static let unknown = 0.02
    /// The limit of a small random loss ratio: twice the ratio, since a sample of a few hundred packets may exceed the mean by chance,
    /// and a margin; up to the bound.
    private static let (factor, margin, most) = (2.0, 0.005, 0.05)
    /// The same of a large one, as on a radio link: a policer, or a buffer that overflows, loses nothing below nine tenths of W_max.
    private static let (factorOfLarge, mostOfLarge) = (1.5, 0.2)
    /// The round trips after which a large one is measured again.
    private static let longestAge = 200
    /// The standard deviations by which a sample may exceed a large ratio.
    private static let deviations = 2.0
    /// The window below which congestion is unlikely, as a fraction of W_max, at most and without what is tolerated: a policer that
    /// loses a tenth at W_max begins to lose at nine tenths of it.
    private static let (room, roomWithoutLoss) = (0.9, 0.95)

    mutating func add(arrived: Int, lost: Int) {
        self.arrived += Double(arrived)
        self.lost += Double(lost)
    }

    mutating func decay() {
        arrived *= Self.memory
        lost *= Self.memory
        age = 0
    }

    /// Forgets a large ratio that has not been measured for long, since a path that has become narrower may have caused it: the
    /// window is reduced then, and the ratio measured again.
    mutating func passRoundTrip() {
        age += 1
        guard age > Self.longestAge, tolerable(in: .infinity, packetSize: 1) > Self.most else { return }
        arrived = 0
        lost = 0
    }

    /// The random loss ratio, 0 to 1; `nil` until enough packets were counted.
    private func ratio(packetSize: Int) -> Double? {
        let all = arrived + lost
        guard all >= Self.leastPackets * Double(packetSize) || lost >= Self.leastLost * Double(packetSize) else {
            return nil
        }
        return lost / all
    }

    private func limit(of ratio: Double) -> Double {
        max(
            min(Self.factor * ratio + Self.margin, Self.most),
            min(Self.factorOfLarge * ratio + Self.margin, Self.mostOfLarge))
    }

    /// The loss ratio, 0 to 1, that is tolerated in a sample of so many bytes.
    func tolerable(in sample: Double, packetSize: Int) -> Double {
        guard let ratio = ratio(packetSize: packetSize) else { return Self.unknown }
        let limit = limit(of: ratio)
        guard limit > Self.most else { return limit }
        let packets = max(sample / Double(packetSize), 1)
        let usual = min(ratio, Self.mostOfLarge)
        return max(limit, usual + Self.deviations * (usual * (1 - usual) / packets).squareRoot())
    }

    /// The fraction of W_max below which the window has to be for losses to count as random.
    func room(packetSize: Int) -> Double {
        min(Self.room, Self.roomWithoutLoss - (ratio(packetSize: packetSize).map(limit) ?? Self.unknown))
    }
}
