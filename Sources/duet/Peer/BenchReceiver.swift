import Foundation
import RTC

/// The counting end of a measurement.
struct BenchReceiver: Sendable {
    let channel: DataChannel

    private static let batchMessages = 1024

    /// Counts and reports until the channel is closed.
    func run() async {
        var report = BenchReport()
        var (start, cpuAtStart) = (ContinuousClock.now, 0.0)
        while true {
            let messages = await channel.receive(upTo: Self.batchMessages)
            if messages.isEmpty { return }
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
                let (now, cpu) = (ContinuousClock.now, ProcessorTime.seconds)
                if report.messages == 0 { (start, cpuAtStart) = (now, cpu) }
                report.messages += count
                report.bytes += bytes
                report.seconds = start.duration(to: now) / .seconds(1)
                report.cpuSeconds = cpu - cpuAtStart
            }
            if markers > 0, let answer = try? JSONEncoder().encode(report) {
                // A channel that is closed by now needs no answer.
                try? await channel.send(String(decoding: answer, as: UTF8.self))
            }
        }
    }
}
