import Foundation
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

/// `Scripts/replay-trace` runs `sentIn` with the files of somebody's call. Without them it replays a simulated one.
@Suite("Traces that are replayed")
struct ReplayTests {
    private static let badDay = """
        title A bad day
        seconds 50
        at 0 both rate 2000 delay 30 queue 400
        at 15 forward rate 500
        at 30 forward rate 2000 loss 0.04
        """

    /// Of several calls together: with random loss, two calls with different seeds differ by a third after the rate has risen.
    @Test("Replayed calls send as much as the traced ones, and wait as long")
    func alike() throws {
        let calls = try Seeds.few.prefix(4).map { seed in
            let (first, traced) = try Self.traced(seed: seed)
            let schedule = try NetworkSchedule(TracedSchedule(title: "again", forward: traced).text)
            let second = try ReplayedCall(seed: seed + 1_000, schedule)
            second.run(forSeconds: 50)
            let links = [traced, TracedLink(try second.readTrace(of: .alice))]
            return (links: links, frozen: [first, second].map { $0.frozen(at: .bob).seconds })
        }
        func means(_ value: (TracedLink) -> Double) -> [Double] {
            [0, 1].map { index in calls.reduce(0) { $0 + value($1.links[index]) } / Double(calls.count) }
        }
        for range in [50..<140, 180..<290, 360..<490] {
            let rates = means { $0.bitrate(range) }
            let all = calls.map { $0.links.map { Int($0.bitrate(range)) } }
            #expect(abs(rates[0] - rates[1]) < rates[0] * 0.2, "\(range): \(all)")
        }
        let queues = means { link in link.intervals[180..<290].reduce(0.0) { $0 + $1.queue } / 110 }
        #expect(abs(queues[0] - queues[1]) < 60, "\(queues)")
        for call in calls { #expect(abs(call.frozen[0] - call.frozen[1]) < 3, "\(call.frozen)") }
    }

    @Test("A trace that was sent in becomes a schedule and a call")
    func sentIn() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment["DUET_TRACE"] else {
            let (_, link) = try Self.traced(seed: 1)
            return try replay(TracedSchedule(title: "A simulated call", forward: link), link, frozen: nil)
        }
        let wanted = environment["DUET_TRACE_CALL"].flatMap { Int($0) }
        let trace = try Self.call(wanted, of: path)
        let link = TracedLink(trace)
        var (other, offset, frozen): (TracedLink?, TimeDelta, TimeDelta?) = (nil, .zero, nil)
        if let otherPath = environment["DUET_TRACE_OTHER"] {
            let otherTrace = try Self.call(nil, of: otherPath)
            other = TracedLink(otherTrace)
            offset = .milliseconds(Int64(otherTrace.timeOfDay - trace.timeOfDay))
            frozen = otherTrace.receivedVideo.reduce(TimeDelta.zero) { $0 + $1.frozen }
        }
        let title = URL(filePath: path).deletingPathExtension().lastPathComponent
        let schedule = TracedSchedule(title: title, forward: link, backward: other, offset: offset)
        if let out = environment["DUET_REPLAY_SCHEDULE"] {
            try schedule.text.write(toFile: out, atomically: true, encoding: .utf8)
        }
        try replay(schedule, link, frozen: frozen)
    }

    /// A call over ``badDay``, and what its sender saw.
    private static func traced(seed: UInt64) throws -> (ReplayedCall, TracedLink) {
        let call = try ReplayedCall(seed: seed, NetworkSchedule(badDay))
        call.run(forSeconds: 50)
        return (call, TracedLink(try call.readTrace(of: .alice)))
    }

    /// A connection of a file, counted from 1; the last one with media if there is no number.
    private static func call(_ number: Int?, of path: String) throws -> CallTrace {
        let calls = CallTrace.calls(in: [UInt8](try Data(contentsOf: URL(filePath: path))))
        guard let number else {
            let withMedia = calls.last { call in call.samples.contains { $0.packetsSent > 0 } }
            return try #require(withMedia ?? calls.last, "no trace")
        }
        try #require(calls.indices.contains(number - 1), "the file has \(calls.count) connections")
        return calls[number - 1]
    }

    /// Runs a call over the schedule, and prints it beside the traced one.
    private func replay(_ schedule: TracedSchedule, _ link: TracedLink, frozen: TimeDelta?) throws {
        let read = try NetworkSchedule(schedule.text)
        let call = try ReplayedCall(seed: 1, read)
        call.run(forSeconds: Int(read.duration.seconds.rounded(.up)))
        let replayed = TracedLink(try call.readTrace(of: .alice))
        #expect(!replayed.intervals.isEmpty)
        guard MediaReport.isWanted else { return }
        print("replay: second | target, rate (kbit/s), queue (ms) of the trace | of the replay")
        for second in stride(from: 0, to: max(link.intervals.count, replayed.intervals.count), by: 10) {
            print("replay: \(second / 10) | \(row(link, second)) | \(row(replayed, second))")
        }
        print(
            "replay: received video frozen for \(frozen.map { "\($0.seconds)" } ?? "?") s in the traced call,",
            "\(call.frozen(at: .bob).seconds) s in the replay")
    }

    /// The figures of a second, from an interval on.
    private func row(_ link: TracedLink, _ begin: Int) -> String {
        let range = (begin..<begin + 10).clamped(to: link.intervals.indices)
        guard !range.isEmpty else { return "" }
        let intervals = link.intervals[range]
        let target = intervals.reduce(0) { $0 + $1.target } / Double(range.count)
        let queue = intervals.reduce(0) { max($0, $1.queue) }
        return "\(Int(target / 1_000)) \(Int(link.bitrate(range) / 1_000)) \(Int(queue))"
    }
}
