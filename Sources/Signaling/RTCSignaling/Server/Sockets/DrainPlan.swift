/// Divides connections into equal steps, so that their clients do not come back all at once.
struct DrainPlan {
    /// The time between two steps.
    static let pause = Duration.milliseconds(100)
    /// The maximum number of steps: an hour.
    private static let mostSteps = 36_000.0

    private let count: Int
    private let steps: Int
    private var step = 0

    /// - Parameters:
    ///   - count: The number of connections.
    ///   - time: The time to take; zero for a single step.
    init(_ count: Int, over time: Duration) {
        self.count = max(count, 0)
        steps = max(1, Int(min(max(time / Self.pause, 0), Self.mostSteps)))
    }

    var isOver: Bool { step >= steps || count == 0 }

    /// Takes the next step.
    ///
    /// - Returns: The number of connections to close now.
    mutating func next() -> Int {
        guard !isOver else { return 0 }
        let before = part(step)
        step += 1
        return part(step) - before
    }

    /// The number of connections that are closed after so many steps.
    private func part(_ step: Int) -> Int {
        step >= steps ? count : Int(Double(count) * Double(step) / Double(steps))
    }
}
