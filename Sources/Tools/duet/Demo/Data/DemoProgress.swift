/// What is known about a run of the demo by now.
struct DemoProgress {
    /// One direction: from the first process to the second, or back.
    struct Direction {
        var received = 0
        var sentChecksum: String?
        var receivedChecksum: String?
        var seconds: Double?

        var isComplete: Bool { sentChecksum != nil && receivedChecksum != nil }
    }

    /// Bytes of each file.
    var size = 0
    var directions = [Direction(), Direction()]
    var connectedMilliseconds: Double?
    var openMilliseconds: Double?
    /// When the first channel opened.
    private(set) var transferStart: ContinuousClock.Instant?

    var isComplete: Bool { directions.allSatisfy(\.isComplete) }

    /// Notes what a process reports.
    ///
    /// Of what both know, the first process speaks, which started the connection.
    ///
    /// - Returns: Whether the report is worth a line of its own.
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

    /// Megabytes a second of one direction.
    func rate(_ direction: Int) -> Double {
        let elapsed =
            directions[direction].seconds ?? transferStart.map { $0.duration(to: .now) / .seconds(1) } ?? 0
        return elapsed > 0 ? Double(directions[direction].received) / 1e6 / elapsed : 0
    }
}
