import RTCWire
import Testing

@testable import RTCMedia

@Suite("The history of an outgoing stream")
struct RTPPacketHistoryTests {
    /// Appends a packet of `size` bytes that all have the value of its index.
    private func append(_ size: Int, to history: inout RTPPacketHistory, at now: Instant = .zero) -> Int64? {
        let value = UInt8(truncatingIfNeeded: history.end)
        return history.append(atMost: max(size, 1_200), at: now) { memory in
            for index in 0..<size { memory[index] = value }
            return (size, size, RTPSendTimeFields())
        }
    }

    private func isWhole(_ history: RTPPacketHistory) -> Bool {
        (history.first..<history.end).allSatisfy { index in
            history.withPacket(index) { $0.allSatisfy { $0 == UInt8(truncatingIfNeeded: index) } }
        }
    }

    @Test("packets of all sizes stay whole while the ring turns and grows", arguments: 1...5 as ClosedRange<UInt64>)
    func whole(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var history = RTPPacketHistory(limits: RTPHistoryLimits(packets: 300, bytes: 100_000, age: .seconds(10)))
        for step in 0..<3_000 {
            let size = 1 + Int(random.next(below: step % 700 < 350 ? 1_200 : 90))
            #expect(append(size, to: &history) != nil)
            if step % 50 == 0 { #expect(isWhole(history)) }
        }
        #expect(isWhole(history))
        #expect(history.end == 3_000)
        #expect(history.end - history.first <= 300)
    }

    @Test("what has not left yet is kept however old it is, and can be taken back")
    func unsent() {
        var history = RTPPacketHistory(limits: RTPHistoryLimits(packets: 300, bytes: 100_000, age: .seconds(1)))
        for _ in 0..<10 { _ = append(100, to: &history) }
        for index in Int64(0)..<4 { history[index].lastSent = .zero }
        _ = append(100, to: &history, at: .milliseconds(2_000))
        #expect(history.first == 4 && history.end == 11 && history.firstUnsent == 4)
        history[4].lastSent = .milliseconds(2_000)
        history.removeUnsentFrames()
        #expect(history.first == 4 && history.end == 5 && history.firstUnsent == 5)
        for _ in 0..<500 {
            let index = append(700, to: &history, at: .milliseconds(2_100))
            #expect(index != nil)
            history[history.end - 1].lastSent = .milliseconds(2_100)
        }
        #expect(isWhole(history))
        var empty = RTPPacketHistory(limits: RTPHistoryLimits(packets: 300, bytes: 100_000, age: .seconds(1)))
        for _ in 0..<3 { _ = append(100, to: &empty) }
        empty.removeUnsentFrames()
        #expect(empty.first == empty.end)
        for _ in 0..<200 { _ = append(900, to: &empty) }
        #expect(isWhole(empty))
    }

    @Test("the number of packets is bounded")
    func packetBound() {
        var history = RTPPacketHistory(limits: RTPHistoryLimits(packets: 10, bytes: 100_000, age: .seconds(10)))
        for _ in 0..<25 { _ = append(10, to: &history) }
        #expect(history.first == 15 && history.end == 25)
        #expect(history.contains(15) && !history.contains(14) && !history.contains(25))
        #expect(isWhole(history))
    }

    @Test("the bytes are bounded")
    func byteBound() {
        var history = RTPPacketHistory(limits: RTPHistoryLimits(packets: 1_000, bytes: 20_000, age: .seconds(10)))
        for _ in 0..<200 { _ = append(1_000, to: &history) }
        #expect(history.end - history.first <= 20)
        #expect(history.end - history.first >= 16)
        #expect(isWhole(history))
    }

    @Test("what is too old goes, also when it is everything")
    func ageBound() {
        var history = RTPPacketHistory(limits: RTPHistoryLimits(packets: 1_000, bytes: 100_000, age: .seconds(1)))
        for index in 0..<10 {
            let now = Instant.milliseconds(Int64(index * 300))
            _ = append(100, to: &history, at: now)
            history[Int64(index)].lastSent = now
        }
        #expect(history.first == 6)
        _ = append(100, to: &history, at: .milliseconds(60_000))
        #expect(history.first == 10 && history.end == 11)
        #expect(isWhole(history))
    }

    @Test("a packet larger than half the ring is refused")
    func tooLarge() {
        var history = RTPPacketHistory(limits: RTPHistoryLimits(packets: 10, bytes: 2_048, age: .seconds(1)))
        #expect(history.append(atMost: 1_025, at: .zero) { _ in (1, 1, RTPSendTimeFields()) } == nil)
        #expect(history.append(atMost: 1_024, at: .zero) { _ in (1_024, 1, RTPSendTimeFields()) } == 0)
        #expect(history.append(atMost: 1_024, at: .zero) { _ in (1_024, 1, RTPSendTimeFields()) } == 1)
    }
}
