import RTCWire
import Testing

@testable import RTCMedia

@Suite("The pacer")
struct PacerTests {
    private func packet(_ index: Int64, size: Int = 1_000) -> RTPPacketReference {
        RTPPacketReference(index: index, size: size, isRetransmission: false)
    }

    /// Lets everything leave, and tells what left when, in ms.
    private func drain(_ pacer: inout Pacer, from start: Instant = .zero) -> [(time: Int64, stream: Int)] {
        var left: [(Int64, Int)] = []
        var now = start
        while !pacer.isEmpty {
            now = max(now, pacer.nextDeadline)
            let before = left.count
            while let entry = pacer.next(at: now) { left.append(((now - .zero).milliseconds, entry.stream)) }
            if left.count == before {
                Issue.record("the deadline has passed and nothing left")
                return left
            }
        }
        return left
    }

    @Test("spreads a key frame: 100 packets at 4 Mbit/s take 180 ms, 20 ms of it at once, and then 5 ms at most")
    func keyFrame() {
        var pacer = Pacer(rate: .megabits(4))
        for index in 0..<100 { pacer.enqueue(packet(Int64(index)), stream: 1, priority: .video, at: .zero) }
        #expect(pacer.queueTime == .milliseconds(200))
        let left = drain(&pacer)
        #expect(left.count == 100)
        #expect((170...185).contains(left.last?.time ?? 0))
        #expect((10...11).contains(left.count { $0.time == 0 }))
        for start in stride(from: Int64(1), to: 200, by: 1) {
            // 5 ms are 2.5 packets.
            #expect(left.count { $0.time >= start && $0.time < start + 10 } <= 6)
        }
        #expect(pacer.queueTime == .zero && pacer.nextDeadline == .distantFuture)
    }

    @Test("lets an ordinary picture leave at once, and one half as large again")
    func ordinaryPicture() {
        // 2.5 times what 30 pictures of 10 packets a second come to.
        var pacer = Pacer(rate: Bitrate(bitsPerSecond: 2_400_000 * 5 / 2))
        for picture in 0..<30 {
            let now = Instant.milliseconds(Int64(picture * 33))
            let count = picture % 2 == 0 ? 15 : 5
            for index in 0..<count { pacer.enqueue(packet(Int64(index)), stream: 1, priority: .video, at: now) }
            var left = 0
            while pacer.next(at: now) != nil { left += 1 }
            #expect(left == count, "picture \(picture)")
        }
    }

    @Test("charges nothing for what does not leave after all")
    func refund() {
        var pacer = Pacer(rate: .kilobits(80))
        for index in 0..<50 { pacer.enqueue(packet(Int64(index)), stream: 1, priority: .video, at: .zero) }
        var gone = 0
        while pacer.next(at: .zero) != nil {
            pacer.refund()
            gone += 1
        }
        #expect(gone == 50)
    }

    @Test("knows the pictures of a stream that wait, and forgets them")
    func pictures() {
        var pacer = Pacer(rate: .kilobits(800))
        for index in 0..<6 {
            pacer.enqueue(
                packet(Int64(index)), stream: 1, priority: .video, at: .milliseconds(Int64(index / 2) * 40))
        }
        pacer.enqueue(packet(0), stream: 2, priority: .video, at: .zero)
        pacer.enqueue(packet(9), stream: 1, priority: .retransmission, at: .zero)
        #expect(pacer.pictures(of: 1) == (3, 6_000) && pacer.pictures(of: 2) == (1, 1_000))
        var rest = pacer
        rest.removeVideoFrames(of: 1) { $0.index < 1 }
        #expect(rest.pictures(of: 1) == (1, 1_000) && rest.count == 3)
        pacer.removeVideoFrames(of: 1) { _ in false }
        #expect(pacer.pictures(of: 1) == (0, 0) && pacer.count == 2)
        #expect(pacer.queueTime == .milliseconds(20))
    }

    @Test("lets audio leave at once, then retransmissions, then video")
    func priorities() {
        var pacer = Pacer(rate: .kilobits(800))
        for index in 0..<3 { pacer.enqueue(packet(Int64(index)), stream: 1, priority: .video, at: .zero) }
        for index in 0..<2 { pacer.enqueue(packet(Int64(index)), stream: 2, priority: .retransmission, at: .zero) }
        for index in 0..<2 {
            pacer.enqueue(packet(Int64(index), size: 100), stream: 3, priority: .audio, at: .zero)
        }
        #expect(pacer.count == 7)
        let left = drain(&pacer)
        #expect(left.map(\.stream) == [3, 3, 2, 2, 1, 1, 1])
        // The credit is 15 ms. Audio counts against it, with 1 ms each, and a packet of the rest with 10.
        #expect(left.map(\.time) == [0, 0, 0, 0, 7, 17, 27])
    }

    @Test("padding leaves last, counts as no queue, and is dropped for the next picture")
    func padding() {
        var pacer = Pacer(rate: .kilobits(800))
        for index in 0..<3 { pacer.enqueue(packet(Int64(index)), stream: 4, priority: .padding, at: .zero) }
        #expect(pacer.isIdle && !pacer.isEmpty && pacer.queueTime == .zero)
        pacer.enqueue(packet(0), stream: 1, priority: .video, at: .zero)
        #expect(!pacer.isIdle)
        #expect(drain(&pacer).map(\.stream) == [1, 4, 4, 4])
        pacer.enqueue(packet(0), stream: 4, priority: .padding, at: .milliseconds(50))
        pacer.removePadding()
        #expect(pacer.isEmpty && pacer.nextDeadline == .distantFuture)
    }

    @Test("audio overtakes a long queue of video")
    func audioOvertakes() {
        var pacer = Pacer(rate: .kilobits(800))
        for index in 0..<20 { pacer.enqueue(packet(Int64(index)), stream: 1, priority: .video, at: .zero) }
        while pacer.next(at: .zero) != nil {}
        pacer.enqueue(packet(0, size: 100), stream: 2, priority: .audio, at: .milliseconds(1))
        #expect(pacer.nextDeadline <= .milliseconds(1))
        #expect(pacer.next(at: .milliseconds(1))?.stream == 2)
        #expect(pacer.next(at: .milliseconds(1)) == nil)
        #expect(pacer.nextSize(at: .milliseconds(1)) == nil)
        #expect(pacer.nextSize(at: pacer.nextDeadline) == 1_000)
    }

    @Test("keeps order within a stream, and keeps to the rate while packets keep coming")
    func rate() {
        var pacer = Pacer(rate: .megabits(2))
        var bytes = 0
        var now = Instant.zero
        var index: Int64 = 0
        var expected: Int64 = 0
        while now < .milliseconds(10_000) {
            while pacer.count < 20 {
                pacer.enqueue(packet(index, size: 700 + Int(index % 7) * 80), stream: 0, priority: .video, at: now)
                index += 1
            }
            while let entry = pacer.next(at: now) {
                #expect(entry.packet.index == expected)
                expected += 1
                bytes += entry.packet.size
            }
            now = max(now + .milliseconds(1), pacer.nextDeadline)
        }
        let rate = Double(bytes) * 8 / 10
        #expect(rate > 1_900_000 && rate < 2_050_000)
    }

    @Test("raises the rate when the queue would take too long")
    func boundedQueue() {
        var pacer = Pacer(rate: .kilobits(200), maximumQueueTime: .milliseconds(300))
        // Five seconds at the rate.
        for index in 0..<125 { pacer.enqueue(packet(Int64(index)), stream: 0, priority: .video, at: .zero) }
        #expect(pacer.queueTime == .seconds(5))
        let left = drain(&pacer)
        #expect((left.last?.time ?? 0) < 1_300)
        #expect((left.last?.time ?? 0) > 300)
    }

    @Test("forgets a stream that has ended, and survives a rate of nothing")
    func removal() {
        var pacer = Pacer(rate: Bitrate(bitsPerSecond: 0))
        for index in 0..<4 {
            pacer.enqueue(packet(Int64(index)), stream: Int(index % 2), priority: .video, at: .zero)
            pacer.enqueue(packet(Int64(index)), stream: Int(index % 2), priority: .retransmission, at: .zero)
            pacer.enqueue(packet(Int64(index)), stream: Int(index % 2), priority: .audio, at: .zero)
        }
        pacer.removeAll(of: 0)
        #expect(pacer.count == 6)
        pacer.rate = .megabits(1)
        #expect(drain(&pacer).allSatisfy { $0.stream == 1 })
    }
}
