/// How much a path loses by chance: what it loses while the window is well below the height at which it last was too much.
struct ChanceLoss {
    private var arrived = 0.0
    private var lost = 0.0

    /// What remains of the counts with each round trip.
    private static let memory = 0.98
    /// Of fewer packets the share says nothing.
    private static let leastPackets = 100.0
    /// The share that is not answered before chance is known, what is added to twice the share of chance afterwards, and the most
    /// of that: of some hundred packets, more than the usual share is lost by chance now and then.
    private static let (unknown, margin, most) = (0.02, 0.005, 0.05)

    mutating func add(arrived: Int, lost: Int) {
        self.arrived += Double(arrived)
        self.lost += Double(lost)
    }

    mutating func fade() {
        arrived *= Self.memory
        lost *= Self.memory
    }

    /// The share of losses, 0 to 1, that is not answered.
    func tolerable(packetSize: Int) -> Double {
        let all = arrived + lost
        guard all >= Self.leastPackets * Double(packetSize) else { return Self.unknown }
        return min(2 * lost / all + Self.margin, Self.most)
    }
}
