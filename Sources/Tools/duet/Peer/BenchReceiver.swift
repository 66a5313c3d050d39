import Foundation
import RTC

/// The receiver of a measurement.
struct BenchReceiver: Sendable {
    let channel: DataChannel
    /// Whether messages are read one by one, and not in batches.
    var isOneByOne = false

    private static let batchMessages = 1024

    /// Counts and reports until the channel is closed.
    func run() async {
        var counter = BenchCounter()
        if isOneByOne {
            for await message in channel.messages {
                if counter.count(CollectionOfOne(message)) { await answer(counter.report) }
            }
        } else {
            while true {
                let messages = await channel.receive(upTo: Self.batchMessages)
                if messages.isEmpty { return }
                if counter.count(messages) { await answer(counter.report) }
            }
        }
    }

    private func answer(_ report: BenchReport) async {
        guard let answer = try? JSONEncoder().encode(report) else { return }
        // A channel that is closed by now needs no answer.
        try? await channel.send(String(decoding: answer, as: UTF8.self))
    }
}

/// Counts the messages of a measurement, and the time from the first to the last.
private struct BenchCounter {
    private(set) var report = BenchReport()
    private var (start, cpuAtStart) = (ContinuousClock.now, 0.0)

    /// - Returns: Whether an end marker is among the messages, which requests the report.
    mutating func count(_ messages: some Collection<DataChannel.Message>) -> Bool {
        var (count, bytes, markers) = (0, 0, 0)
        for message in messages {
            switch message {
            case .binary(let content):
                count += 1
                bytes += content.count
            case .text: markers += 1
            }
        }
        if count > 0 {
            let now = ContinuousClock.now
            if report.messages == 0 { (start, cpuAtStart) = (now, ProcessorTime.seconds) }
            report.messages += count
            report.bytes += bytes
            report.seconds = start.duration(to: now) / .seconds(1)
        }
        if markers > 0, report.messages > 0 { report.cpuSeconds = ProcessorTime.seconds - cpuAtStart }
        return markers > 0
    }
}
