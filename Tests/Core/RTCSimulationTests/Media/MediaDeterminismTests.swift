import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("A call's repeatability")
struct MediaDeterminismTests {
    /// Everything that was handed over, in the clear and in order, as a hash; and how much.
    private final class Recorder: PacketTap {
        private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        private(set) var bytes = 0

        func packet(
            _ packet: UnsafeRawBufferPointer, kind: PacketKind, path: TransportPath, isOutgoing: Bool, at now: Instant
        ) {
            add(UInt8(isOutgoing ? 1 : 0))
            var time = (now - Instant.zero).nanoseconds
            withUnsafeBytes(of: &time) { for byte in $0 { add(byte) } }
            for byte in packet { add(byte) }
            bytes += packet.count
        }

        private func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    private func run(seed: UInt64) throws -> [UInt64] {
        var conditions = LinkConditions(
            bandwidth: .megabits(1), delay: .milliseconds(20), loss: .bursts(rate: 0.05, meanLength: 3))
        conditions.reordering = Reordering(probability: 0.01, delay: .milliseconds(30))
        conditions.duplication = 0.02
        let call = try MediaCall(seed: seed, conditions)
        let recorders = SimulatedSide.allCases.map { side in
            let recorder = Recorder()
            call.pair.with(side) { peer, _ in peer.tap = recorder }
            return recorder
        }
        call.run(for: .seconds(5))
        #expect(recorders.allSatisfy { $0.bytes > 100_000 })
        return recorders.map(\.hash) + [UInt64(call.pair.alice.pictures.count), UInt64(call.pair.bob.pictures.count)]
    }

    @Test("The same seed gives the same packets at the same times, another seed others", arguments: Seeds.few.prefix(2))
    func sameSeed(seed: UInt64) throws {
        let once = try run(seed: seed)
        #expect(try run(seed: seed) == once)
        #expect(try run(seed: seed + 1) != once)
    }
}
