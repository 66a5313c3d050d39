import Foundation

/// Shows a run of the demo: two bars on a terminal, a line each second elsewhere.
struct DemoDisplay {
    private static let names = ["one → two", "two → one"]
    private static let barWidth = 28

    private let isTerminal: Bool
    private let hasColor: Bool
    private var barsAreShown = false
    private var ticks = 0

    init() {
        let environment = ProcessInfo.processInfo.environment
        isTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
        hasColor = isTerminal && environment["NO_COLOR"] == nil
    }

    func begin(size: Int) {
        line(bold("Two processes connect, and send each other \(megabytes(size)) at the same time."))
        line("")
    }

    /// Prints a report.
    func tell(_ report: DemoReport, _ progress: DemoProgress) {
        let time = String(format: "%.1f ms", report.milliseconds ?? 0)
        switch report.event {
        case .connectionState: line("  connected     after \(time)")
        case .channelOpen: line("  channel open  after \(time)")
        case .route:
            line("  route         \(report.local ?? "unknown") ↔ \(report.remote ?? "unknown")")
            line("  security      \(report.security ?? "unknown")")
            line("")
        default: break
        }
    }

    /// Updates the progress; called ten times a second.
    mutating func update(_ progress: DemoProgress, isFinal: Bool = false) {
        guard progress.transferStart != nil else { return }
        ticks += 1
        if isTerminal {
            let up = barsAreShown ? "\u{1B}[2A" : ""
            write(up + (0..<2).map { "\r\u{1B}[K" + bar(progress, $0) + "\n" }.joined())
            barsAreShown = true
        } else if ticks % 10 == 0 || isFinal {
            line((0..<2).map { "  " + brief(progress, $0) }.joined(separator: "  "))
        }
    }

    /// - Returns: Whether both files arrived unchanged.
    func summarize(_ progress: DemoProgress, areIdentical: [Bool]) -> Bool {
        var isGood = true
        line("")
        for (direction, isIdentical) in areIdentical.enumerated() {
            let state = progress.directions[direction]
            let (sent, received) = (state.sentChecksum ?? "none", state.receivedChecksum ?? "none")
            let isIntact = isIdentical && sent == received
            isGood = isGood && isIntact
            let rate = String(format: "%.1f MB/s", progress.rate(direction))
            let time = String(format: "%.2f s", state.seconds ?? 0)
            let verdict = isIntact ? "identical" : "DIFFERENT"
            line("  \(Self.names[direction])  \(megabytes(state.received)) in \(time), \(rate)")
            let comparison = "byte by byte \(isIdentical ? "equal" : "unequal")"
            line("             CRC-32c sent \(sent), received \(received), \(comparison): \(bold(verdict))")
        }
        line("")
        line(isGood ? "Both files arrived as they were sent." : "A file did not arrive as it was sent.")
        return isGood
    }

    func note(_ text: String) {
        line(text)
    }

    private func bar(_ progress: DemoProgress, _ direction: Int) -> String {
        let fraction = fraction(progress, direction)
        let full = Int(fraction * Double(Self.barWidth))
        let bar =
            String(repeating: "█", count: full) + dim(String(repeating: "░", count: Self.barWidth - full))
        let numbers = String(
            format: "%4.0f %%  %8.1f MB  %7.1f MB/s", (fraction * 100).rounded(.down),
            Double(progress.directions[direction].received) / 1e6, progress.rate(direction))
        return "  \(Self.names[direction])  \(bar) \(numbers)"
    }

    private func brief(_ progress: DemoProgress, _ direction: Int) -> String {
        let percent = String(format: "%3.0f %%", (fraction(progress, direction) * 100).rounded(.down))
        let rate = String(format: "%.1f MB/s", progress.rate(direction))
        return "\(Self.names[direction]) \(percent), \(megabytes(progress.directions[direction].received)), \(rate)"
    }

    private func fraction(_ progress: DemoProgress, _ direction: Int) -> Double {
        guard progress.size > 0 else { return progress.directions[direction].isComplete ? 1 : 0 }
        return min(1, Double(progress.directions[direction].received) / Double(progress.size))
    }

    private func megabytes(_ count: Int) -> String {
        count < 100_000 ? "\(count) bytes" : String(format: "%.1f MB", Double(count) / 1e6)
    }

    private func bold(_ text: String) -> String { hasColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    private func dim(_ text: String) -> String { hasColor ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

    private func line(_ text: String) {
        write(text + "\n")
    }

    private func write(_ text: String) {
        // Standard output may be closed; the exit status still reports the result.
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
