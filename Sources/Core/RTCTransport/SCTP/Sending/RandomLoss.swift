/// Measures random loss: the loss while the window is well below W_max, where congestion is unlikely.
struct RandomLoss {
    private var arrived = 0.0
    private var lost = 0.0

    /// The factor by which the counts decay per round trip.
    private static let memory = 0.98
    /// The number of packets below which the loss ratio is not meaningful.
    private static let leastPackets = 100.0
    /// The loss ratio that is tolerated before random loss is known; the margin added to twice the random loss ratio
    /// afterwards; and the upper bound. A sample of a few hundred packets may exceed the mean ratio by chance.
    private static let (unknown, margin, most) = (0.02, 0.005, 0.05)

    mutating func add(arrived: Int, lost: Int) {
        self.arrived += Double(arrived)
        self.lost += Double(lost)
    }

    mutating func decay() {
        arrived *= Self.memory
        lost *= Self.memory
    }

    /// The loss ratio, 0 to 1, that is tolerated.
    func tolerable(packetSize: Int) -> Double {
        let all = arrived + lost
        guard all >= Self.leastPackets * Double(packetSize) else { return Self.unknown }
        return min(2 * lost / all + Self.margin, Self.most)
    }
}
