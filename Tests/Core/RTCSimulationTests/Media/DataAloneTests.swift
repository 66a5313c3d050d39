import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

/// A file between two peers that have no media, over links on which a window that halves with each loss, or does not grow,
/// would use little.
@Suite("A file alone")
struct DataAloneTests {
    /// Megabytes per second that arrive, after some seconds in which the windows grow, and the 95th percentile of what waits
    /// in front of the link, in ms.
    private func transfer(
        over link: LinkConditions, seed: UInt64, warmUp: Int64, seconds: Int64
    ) throws -> (rate: Double, queue: Double) {
        let call = try MediaCall(seed: seed, link, isEmpty: true)
        let channel = try call.pair.openChannel(DataChannelParameters(label: "file"), on: .alice)
        #expect(call.run(for: .seconds(10)) { $0.alice.channel("file")?.state == .open })
        let message = DataChannelMessage(bytes: [UInt8](repeating: 7, count: 16_384), isText: false)
        let rate = Double(link.bandwidth?.bitsPerSecond ?? .max)
        var queues: [Double] = []
        func fill(for seconds: Int64) throws {
            queues = []
            for _ in 0..<seconds * 100 {
                while call.pair.alice.peer.bufferedAmount(of: channel) < 1 << 20 {
                    try call.pair.send(message, on: channel, from: .alice)
                }
                call.run(for: .milliseconds(10))
                queues.append(Double(call.pair.network.queuedBytes(on: call.uplinks[0])) * 8_000 / rate)
            }
        }
        func arrived() -> Int { (call.pair.bob.channel("file")?.messages.count ?? 0) * 16_384 }
        try fill(for: warmUp)
        let before = arrived()
        try fill(for: seconds)
        let found = Double(arrived() - before) / Double(seconds) / 1e6
        let queue = queues.sorted()[queues.count * 95 / 100]
        if MediaReport.isWanted { print("file alone: \(found) MB/s, queue \(queue) ms") }
        return (found, queue)
    }

    @Test("20 Mbit/s at 100 ms with 1 % of random loss carry 1.8 MB/s", arguments: Seeds.few.prefix(3))
    func lossy(seed: UInt64) throws {
        let link = LinkConditions(
            bandwidth: .megabits(20), delay: .milliseconds(50), loss: .random(0.01), queue: .time(.milliseconds(100)))
        let seen = try transfer(over: link, seed: seed, warmUp: 3, seconds: 10)
        #expect(seen.rate > 1.8 && seen.queue < 50, "\(seen)")
    }

    @Test("200 Mbit/s at 100 ms carry 20 MB/s, where a window of 1 MiB would carry ten", arguments: Seeds.few.prefix(1))
    func long(seed: UInt64) throws {
        let link = LinkConditions(
            bandwidth: .megabits(200), delay: .milliseconds(50), queue: .time(.milliseconds(100)))
        let seen = try transfer(over: link, seed: seed, warmUp: 3, seconds: 2)
        #expect(seen.rate > 20, "\(seen)")
    }
}
