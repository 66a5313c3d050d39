/// The state of a run of the demo.
struct DemoProgress {
    /// One direction: from the first process to the second, or back.
    struct Direction {
        var received = 0
        var sentChecksum: String?
        var receivedChecksum: String?
        var seconds: Double?

        var isComplete: Bool { sentChecksum != nil && receivedChecksum != nil }
    }

    /// The size of each file in bytes.
    var size = 0
    var directions = [Direction(), Direction()]
    var connectedMilliseconds: Double?
    var openMilliseconds: Double?
    /// When the first channel opened.
    private(set) var transferStart: ContinuousClock.Instant?

    var isComplete: Bool { directions.allSatisfy(\.isComplete) }

    /// Handles a report of a process.
    ///
    /// Values that both processes know are taken from the first one, which made the offer.
    ///
    /// - Returns: Whether to print the report as a line.
    mutating func take(_ report: DemoReport, from number: Int) -> Bool {
        switch report.event {
        case .connectionState:
            guard number == 0, report.value == "connected", connectedMilliseconds == nil else { return false }
            connectedMilliseconds = report.milliseconds
            return true
        case .channelOpen:
            if transferStart == nil { transferStart = .now }
            guard number == 0 else { return false }
            openMilliseconds = report.milliseconds
            return true
        case .route: return number == 0
        case .progress:
            directions[1 - number].received = report.bytes ?? 0
            directions[1 - number].seconds = report.seconds
        case .sent: directions[number].sentChecksum = report.checksum
        case .received:
            directions[1 - number].received = report.bytes ?? 0
            directions[1 - number].receivedChecksum = report.checksum
            directions[1 - number].seconds = report.seconds
        case .error: break
        }
        return false
    }

    /// The rate of one direction in megabytes per second.
    func rate(_ direction: Int) -> Double {
        let elapsed =
            directions[direction].seconds ?? transferStart.map { $0.duration(to: .now) / .seconds(1) } ?? 0
        return elapsed > 0 ? Double(directions[direction].received) / 1e6 / elapsed : 0
    }
}
