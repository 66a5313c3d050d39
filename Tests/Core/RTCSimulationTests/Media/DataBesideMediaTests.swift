import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

/// A file that is sent in a call: what it leaves to the picture, how long sound waits, and how much of the link is used.
@Suite("A file in a call")
struct DataBesideMediaTests {
    private final class Transfer {
        let call: MediaCall
        let channel: Peer.ChannelID
        private let message = DataChannelMessage(bytes: [UInt8](repeating: 7, count: 16_384), isText: false)

        init(_ call: MediaCall) throws {
            self.call = call
            channel = try call.pair.openChannel(DataChannelParameters(label: "file"), on: .alice)
        }

        func fill() throws {
            guard call.pair.alice.channel("file")?.state == .open else { return }
            while call.pair.alice.peer.bufferedAmount(of: channel) < 1 << 20 {
                try call.pair.send(message, on: channel, from: .alice)
            }
        }
    }

    /// What went across alice's uplink in a time.
    private struct Seen {
        var picture = 0.0
        var all = 0.0
        /// Of each hundredth of a second, in ms.
        var queues: [Double] = []
        var queue: Double { queues.sorted()[queues.count * 95 / 100] }
    }

    private func call(seed: UInt64, kilobits: Int64 = 5_000, picture: Int64 = 4_000) throws -> MediaCall {
        let link = LinkConditions(
            bandwidth: .kilobits(kilobits), delay: .milliseconds(25), queue: .time(.milliseconds(300)))
        let call = try MediaCall(seed: seed, link)
        for index in call.cameras.indices {
            call.cameras[index].bitrate = .kilobits(picture)
            call.cameras[index].model = ModelEncoder(seed: seed * 2 + UInt64(index), overshoot: 1.2)
        }
        return call
    }

    private func watch(_ call: MediaCall, _ transfer: Transfer?, for seconds: Double) throws -> Seen {
        var seen = Seen()
        let link = call.uplinks[0]
        let camera = call.cameras[0].transceiver
        func sent() -> UInt64 { call.pair.alice.peer.outgoingStatistics(camera)?.stream.bytesSent ?? 0 }
        let before = (sent(), call.pair.network.statistics(of: link).passedBytes)
        let rate = Double(call.pair.network.conditions(of: link).bandwidth?.bitsPerSecond ?? .max)
        for _ in 0..<Int(seconds * 100) {
            try transfer?.fill()
            call.run(for: .milliseconds(10))
            seen.queues.append(Double(call.pair.network.queuedBytes(on: link)) * 8_000 / rate)
        }
        seen.picture = Double(sent() - before.0) * 8 / seconds
        seen.all = Double(call.pair.network.statistics(of: link).passedBytes - before.1) * 8 / seconds
        if MediaReport.isWanted {
            print(
                "picture \(Int(seen.picture / 1_000)) all \(Int(seen.all / 1_000)) queue \(seen.queue) max",
                "\(seen.queues.max() ?? 0) target \(call.pair.alice.peer.availableOutgoingBitrate.bitsPerSecond / 1_000)"
            )
        }
        return seen
    }

    @Test(
        "The picture keeps 70 % of its rate, sound waits 30 ms more at most, the file uses the rest",
        arguments: Seeds.few.prefix(2))
    func shares(seed: UInt64) throws {
        let call = try call(seed: seed)
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(10))
        let alone = try watch(call, nil, for: 10)
        let transfer = try Transfer(call)
        call.run(for: .seconds(1))
        let start = try watch(call, transfer, for: 3)
        let both = try watch(call, transfer, for: 20)
        #expect(both.picture > alone.picture * 0.65, "\(both.picture) of \(alone.picture)")
        #expect(both.all > 4_200_000, "\(both.all)")
        #expect(both.all - both.picture > 900_000, "\(both.all - both.picture)")
        #expect(start.queue < alone.queue + 30 && both.queue < alone.queue + 30, "\(start.queue) \(both.queue)")
        // The picture has all again afterwards.
        try watchEnd(call, alone)
    }

    private func watchEnd(_ call: MediaCall, _ alone: Seen) throws {
        call.run(for: .seconds(8))
        let after = try watch(call, nil, for: 5)
        #expect(after.picture > alone.picture * 0.85, "\(after.picture) of \(alone.picture)")
    }

    @Test("What the picture leaves the file takes, and gives back", arguments: Seeds.few.prefix(2))
    func yields(seed: UInt64) throws {
        let call = try call(seed: seed, picture: 800)
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(3))
        let transfer = try Transfer(call)
        _ = try watch(call, transfer, for: 10)
        let small = try watch(call, transfer, for: 10)
        #expect(small.all - small.picture > 2_800_000, "\(small.all - small.picture)")
        #expect(small.queue < 45, "\(small.queue)")
        call.cameras[0].bitrate = .megabits(4)
        _ = try watch(call, transfer, for: 3)
        let large = try watch(call, transfer, for: 10)
        #expect(large.picture > 2_400_000 && large.queue < 60, "\(large.picture) \(large.queue)")
    }

    @Test("Beside sound alone a file uses the link, and does not delay it", arguments: Seeds.few.prefix(1))
    func sound(seed: UInt64) throws {
        let call = try call(seed: seed)
        for index in call.cameras.indices { call.cameras[index].isOn = false }
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(2))
        let transfer = try Transfer(call)
        _ = try watch(call, transfer, for: 20)
        let seen = try watch(call, transfer, for: 10)
        #expect(seen.all > 3_500_000 && seen.queue < 45, "\(seen.all) \(seen.queue)")
    }

    @Test("A large file that arrives keeps nothing small from leaving across a narrow uplink")
    func download() throws {
        let call = try call(seed: 1, kilobits: 1_000, picture: 600)
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        // What arrives may be twenty times as much.
        call.pair.network.setConditions(
            LinkConditions(bandwidth: .kilobits(20_000), delay: .milliseconds(25), queue: .time(.milliseconds(300))),
            on: call.uplinks[1])
        let channel = try call.pair.openChannel(DataChannelParameters(label: "file"), on: .bob)
        call.run(for: .seconds(1))
        let file = DataChannelMessage(bytes: [UInt8](repeating: 7, count: 16_384), isText: false)
        let word = DataChannelMessage(bytes: [UInt8](repeating: 1, count: 100), isText: false)
        let back = try #require(call.pair.alice.channel("file")?.id)
        func fill(for hundredths: Int) throws {
            for _ in 0..<hundredths {
                while call.pair.bob.peer.bufferedAmount(of: channel) < 1 << 20 {
                    try call.pair.send(file, on: channel, from: .bob)
                }
                call.run(for: .milliseconds(10))
            }
        }
        try fill(for: 1_000)
        #expect(call.pair.bob.channel("file")?.messages.isEmpty == true)
        try call.pair.send(word, on: back, from: .alice)
        try fill(for: 100)
        #expect(call.pair.bob.channel("file")?.messages.count == 1)
    }
}
