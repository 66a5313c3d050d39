import DuetShell
import Foundation
import RTC

/// The sender of a measurement.
struct BenchSender: Sendable {
    let channel: DataChannel
    let plan: BenchPlan

    /// The bytes that are passed to the channel at once, enough to make the call's cost negligible.
    private static let batchBytes = 256 << 10
    private static let batchMessages = 512
    private static let markerInterval = Duration.milliseconds(200)

    /// Sends, prints the result, and then reads until the end of the channel.
    func run(_ output: LineWriter) async {
        do {
            let cpuAtStart = ProcessorTime.seconds
            let sent = try await sendMessages()
            if let report = try await report(of: sent) {
                output.write(result(report, cpuSeconds: ProcessorTime.seconds - cpuAtStart + report.cpuSeconds))
            } else {
                complain("the channel was closed", to: output)
            }
        } catch {
            complain((error as? RTCError)?.message ?? "\(error)", to: output)
        }
        while await !channel.receive().isEmpty {}
    }

    /// - Returns: The number of sent messages.
    private func sendMessages() async throws -> Int {
        if plan.isOneByOne { return try await sendOneByOne() }
        let count = max(1, min(Self.batchMessages, Self.batchBytes / plan.size))
        let message = DataChannel.Message.binary([UInt8](repeating: 0xD7, count: plan.size))
        let batch = [DataChannel.Message](repeating: message, count: count)
        let end = ContinuousClock.now + .seconds(plan.seconds)
        var sent = 0
        repeat {
            try await channel.send(contentsOf: batch)
            sent += count
        } while ContinuousClock.now < end
        return sent
    }

    /// - Returns: The number of sent messages.
    private func sendOneByOne() async throws -> Int {
        let message = [UInt8](repeating: 0xD7, count: plan.size)
        let end = ContinuousClock.now + .seconds(plan.seconds)
        var sent = 0
        repeat {
            try await channel.send(message)
            sent += 1
        } while ContinuousClock.now < end
        return sent
    }

    /// Requests the receiver's count until it is final; `nil` if the channel closes before.
    private func report(of sent: Int) async throws -> BenchReport? {
        let asking = Task {
            while !Task.isCancelled {
                try await channel.send(BenchPlan.endMarker)
                try await Task.sleep(for: Self.markerInterval)
            }
        }
        defer { asking.cancel() }
        var last: BenchReport?
        for await message in channel.messages {
            guard case .text(let text) = message else { continue }
            let report = try JSONDecoder().decode(BenchReport.self, from: Data(text.utf8))
            if report.messages >= sent || report.messages == last?.messages { return report }
            last = report
        }
        return nil
    }

    private func result(_ report: BenchReport, cpuSeconds: Double) -> JSONValue {
        let rate = report.seconds > 0 ? Double(report.bytes) / 1e6 / report.seconds : 0
        let cost = report.bytes > 0 ? cpuSeconds / (Double(report.bytes) / 1e9) : 0
        return .event(
            "bench",
            [
                "size": plan.size, "megabytesPerSecond": rate.json(places: 3), "cpuSecondsPerGB": cost.json(places: 3),
                "messages": report.messages, "bytes": report.bytes, "seconds": report.seconds.json(places: 3),
            ])
    }

    private func complain(_ reason: String, to output: LineWriter) {
        output.write(.event("error", ["message": "the measurement ended early: \(reason)"]))
    }
}
