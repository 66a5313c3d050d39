import Foundation
import RTCMedia
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

/// What is seen of the pictures when a path carries a quarter of what it did from one moment to the next: its queue overflows
/// before anybody can know, and what got lost has to be repaired on the rest.
@Suite("A path that falls to a quarter")
struct SuddenFallTests {
    struct Fall: Sendable, CustomTestStringConvertible {
        var (before, after): (Int64, Int64)
        var (delay, queue): (Int64, Int64)
        var testDescription: String { "\(before) to \(after) kbit/s, \(delay) ms, a queue of \(queue) ms" }

        func link(_ kilobits: Int64) -> LinkConditions {
            LinkConditions(
                bandwidth: .kilobits(kilobits), delay: .milliseconds(delay), queue: .time(.milliseconds(queue)))
        }
    }

    static let falls = [
        Fall(before: 2_500, after: 600, delay: 50, queue: 300), Fall(before: 2_400, after: 600, delay: 25, queue: 400),
        Fall(before: 1_200, after: 300, delay: 25, queue: 300),
        Fall(before: 4_000, after: 1_000, delay: 100, queue: 300),
    ]

    @Test("Pictures move again after a second, and most of them come", arguments: falls, Seeds.few.prefix(6))
    func pictures(fall: Fall, seed: UInt64) throws {
        let call = try MediaCall(seed: seed, fall.link(fall.before)) { settings in
            let configure = settings.configure
            settings.configure = { side, configuration in
                configure(side, &configuration)
                configuration.startBitrate = .megabits(1)
            }
        }
        for index in call.cameras.indices {
            call.cameras[index].bitrate = .megabits(4)
            call.cameras[index].model = ModelEncoder(seed: seed * 2 + UInt64(index), overshoot: 1.5)
        }
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(20) + .milliseconds(Int64(seed % 7) * 11))
        let (link, start) = (call.uplinks[0], call.pair.now)
        let before = call.pair.network.statistics(of: link)
        call.pair.network.setConditions(fall.link(fall.after), on: link)
        var queues: [Double] = []
        for _ in 0..<600 {
            call.run(for: .milliseconds(10))
            queues.append(Double(call.pair.network.queuedBytes(on: link)) * 8 / Double(fall.after))
        }
        let dropped = call.pair.network.statistics(of: link).queueFull - before.queueFull
        // Until it has stayed below 100 ms for a second. What a probe for more adds later has a bound of its own.
        let calm = (0...queues.count - 100).first { start in queues[start..<start + 100].allSatisfy { $0 < 100 } }
        let drained = calm ?? queues.count
        let times = call.pictures(of: call.cameras[0]).map(\.time).filter { $0 > start - .seconds(1) }
        let gaps = zip(times, times.dropFirst()).map { ($1 - $0).milliseconds }
        let longest = gaps.max() ?? 10_000
        if MediaReport.isWanted {
            let id = call.cameras[0].transceiver
            let stream = call.pair.alice.peer.outgoingStatistics(id)?.stream
            let keys = call.pictures(of: call.cameras[0]).count { $0.time > start && $0.picture.frame.isKeyFrame }
            print(
                "\(fall.testDescription), seed \(seed): dropped \(dropped), drained \(drained * 10) ms,",
                "gaps \(gaps.sorted().suffix(4).map { Int($0) }), pictures \(times.count), keys \(keys),",
                "again \(stream?.retransmittedPacketsSent ?? 0)")
        }
        #expect(longest < 1_250, "\(longest) ms")
        #expect(times.count > 120, "\(times.count)")
        #expect(drained < 150, "\(drained)")
        #expect(queues[min(drained, queues.count)...].allSatisfy { $0 < 120 }, "\(queues[drained...].max() ?? 0)")
    }

    @Test("Pictures that were taken back do not count as sent")
    func framesSent() throws {
        for fall in Self.falls {
            let call = try MediaCall(seed: 1, fall.link(fall.before)) { settings in
                let configure = settings.configure
                settings.configure = { side, configuration in
                    configure(side, &configuration)
                    configuration.startBitrate = .megabits(1)
                }
            }
            for index in call.cameras.indices {
                call.cameras[index].bitrate = .megabits(4)
                call.cameras[index].model = ModelEncoder(seed: UInt64(index) + 2, overshoot: 1.5)
            }
            let counter = MarkerCounter()
            call.pair.with(.alice) { peer, _ in peer.tap = counter }
            #expect(call.run(for: .seconds(10)) { $0.areConnected })
            call.run(for: .seconds(20))
            call.pair.network.setConditions(fall.link(fall.after), on: call.uplinks[0])
            call.run(for: .seconds(3))
            let outgoing = call.pair.alice.peer.outgoingStatistics(call.cameras[0].transceiver)
            let statistics = try #require(outgoing)
            let left = counter.marked[statistics.ssrc] ?? 0
            #expect(statistics.framesSent == left, "\(fall.testDescription)")
        }
    }
}

/// Counts the outgoing packets that end a frame, by SSRC.
private final class MarkerCounter: PacketTap {
    private(set) var marked: [SynchronizationSource: Int] = [:]

    func packet(
        _ packet: UnsafeRawBufferPointer, kind: PacketKind, path: TransportPath, isOutgoing: Bool, at now: Instant
    ) {
        guard kind == .rtp, isOutgoing, packet.count >= 12, packet[1] & 0x80 != 0 else { return }
        let source = packet[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        marked[SynchronizationSource(source), default: 0] += 1
    }
}
