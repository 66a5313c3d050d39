import DuetShell
import Foundation

/// One run of the demo: starts the two processes, forwards their signals to each other, and shows the progress.
struct DemoRun {
    private enum Event: Sendable {
        /// From the first process (0) or the second (1).
        case output(Int, DemoProcess.Output)
        case tick
        case interrupted
    }

    /// The time limit without progress.
    private static let patience = Duration.seconds(30)

    let folder: DemoFolder
    var display: DemoDisplay
    let log: LogLevel

    private var processes: [DemoProcess] = []
    private var progress = DemoProgress()
    private var hasExited = [false, false]
    private var lastProgress = ContinuousClock.now

    init(folder: DemoFolder, display: DemoDisplay, log: LogLevel) {
        self.folder = folder
        self.display = display
        self.log = log
        progress.size = folder.size
    }

    /// - Returns: The exit status: 0 if both files arrived unchanged, 130 after an interruption, otherwise 1.
    mutating func run(_ interruption: Interruption) async -> Int32 {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        display.begin(size: folder.size)
        do {
            for number in 0..<2 {
                // Each process receives what the other one sends.
                let work = DataDemoWork(
                    isOffering: number == 0, sent: folder.transfers[number].sent.path,
                    received: folder.transfers[1 - number].received.path, log: log)
                processes.append(
                    try DemoProcess(.data(work)) { continuation.yield(.output(number, $0)) })
            }
        } catch {
            end()
            display.note("The two processes cannot be started: \(error.localizedDescription)")
            return 1
        }
        let ticking = Task {
            while (try? await Task.sleep(for: .milliseconds(100))) != nil { continuation.yield(.tick) }
        }
        let listening = Task {
            for await _ in interruption.signals { continuation.yield(.interrupted) }
        }
        defer {
            ticking.cancel()
            listening.cancel()
        }

        var failure: String?
        var status: Int32 = 1
        loop: for await event in events {
            switch event {
            case .output(let number, .line(let line)): failure = take(line, from: number)
            case .output(let number, .exited): failure = exited(number)
            case .tick:
                display.update(progress)
                if lastProgress.duration(to: .now) > Self.patience {
                    failure = "nothing has happened for \(Self.patience / .seconds(1)) seconds"
                }
            case .interrupted:
                failure = "interrupted"
                status = Demo.interruptedStatus
            }
            if failure != nil || progress.isComplete { break loop }
        }
        display.update(progress, isFinal: true)
        processes.forEach { $0.close() }
        if let failure {
            display.note("The demo ended early: \(failure)")
        } else {
            let areIdentical = folder.transfers.map { DemoFile.areIdentical($0.sent, $0.received) }
            if display.summarize(progress, areIdentical: areIdentical) { status = 0 }
        }
        await waitForExits(events)
        end()
        return status
    }

    /// Handles a line of a process: a report, or a signal for the other process.
    ///
    /// - Returns: The reason if the demo cannot continue.
    private mutating func take(_ line: [UInt8], from number: Int) -> String? {
        guard let report = DemoReport(line: line) else {
            processes[1 - number].write(line)
            return nil
        }
        lastProgress = .now
        let isNews = progress.take(report, from: number)
        if isNews { display.tell(report, progress) }
        switch report.event {
        case .error: return report.reason ?? "unknown"
        case .connectionState where report.value == "failed": return report.reason ?? "the connection failed"
        default: return nil
        }
    }

    private mutating func exited(_ number: Int) -> String? {
        hasExited[number] = true
        return "the \(["first", "second"][number]) process ended"
    }

    /// Waits for the processes to end, up to a limit.
    private mutating func waitForExits(_ events: AsyncStream<Event>) async {
        let deadline = ContinuousClock.now + .seconds(2)
        for await event in events {
            if case .output(let number, .exited) = event { hasExited[number] = true }
            if hasExited == [true, true] || ContinuousClock.now > deadline { return }
        }
    }

    private func end() {
        processes.forEach { $0.kill() }
    }
}
