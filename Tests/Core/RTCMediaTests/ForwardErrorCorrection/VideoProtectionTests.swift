import RTCWire
import Testing

@testable import RTCMedia

@Suite("How much error correction protects video")
struct VideoProtectionTests {
    /// Frames of a video with a decision on each.
    private struct Sender {
        var protection = VideoProtection()
        var next: Int64 = 100
        var now = Instant.zero
        var packets = 0
        var blocks: [VideoProtection.Block] = []

        init(_ share: Double, burst: Double = 1, roundTrip: TimeDelta? = .milliseconds(300)) {
            protection.update(share: share, burst: burst, roundTrip: roundTrip)
        }

        @discardableResult
        mutating func frame(_ count: Int, isKeyFrame: Bool = false) -> VideoProtection.Block? {
            let first = RTPPacketReference(index: next, size: 1_000, isRetransmission: false)
            let block = protection.frame(from: first, count: count, isKeyFrame: isKeyFrame, at: now)
            next += Int64(count + (block?.parities ?? 0))
            now = now + .milliseconds(33)
            packets += count
            if let block { blocks.append(block) }
            return block
        }

        var overhead: Double { Double(blocks.reduce(0) { $0 + $1.parities }) / Double(packets) }
    }

    @Test("Nothing over a short or unknown round trip, or without loss", arguments: [0.0, 0.05, 0.3])
    func off(share: Double) {
        for roundTrip in [nil, TimeDelta.milliseconds(40), .milliseconds(150)] {
            #expect(!Sender(share, roundTrip: roundTrip).protection.isActive)
        }
        #expect(Sender(share).protection.isActive == (share > 0))
        var sender = Sender(0)
        let block = sender.frame(10)
        #expect(block == nil)
    }

    @Test("It ends at lower values than it begins at")
    func hysteresis() {
        var protection = VideoProtection()
        func isActive(_ share: Double, _ roundTrip: Int64) -> Bool {
            protection.update(share: share, burst: 1, roundTrip: .milliseconds(roundTrip))
            return protection.isActive
        }
        let steps: [(Double, Int64, Bool)] = [
            (0.008, 300, false), (0.02, 300, true), (0.008, 300, true), (0.02, 140, true), (0.02, 120, false),
            (0.02, 140, false), (0.02, 170, true), (0.004, 300, false), (0.008, 300, false),
        ]
        for step in steps {
            let result = isActive(step.0, step.1)
            #expect(result == step.2, "\(step)")
        }
    }

    @Test("The overhead follows the loss, and has a limit", arguments: [0.02, 0.05, 0.1, 0.5])
    func overhead(share: Double) {
        var sender = Sender(share)
        for _ in 0..<300 { sender.frame(4) }
        let expected = min(VideoProtection.factor * share, VideoProtection.mostOverhead)
        #expect(abs(sender.overhead - expected) < 0.02, "\(sender.overhead)")
        #expect(sender.blocks.allSatisfy { !$0.isInterleaved && $0.packets <= 24 })
    }

    @Test("A key frame gets more")
    func keyFrame() {
        var sender = Sender(0.05)
        let block = sender.frame(20, isKeyFrame: true)
        #expect(block == VideoProtection.Block(packets: 20, parities: 10, isInterleaved: false))
    }

    @Test("Against bursts several parities go together, over several frames, for a limited time")
    func bursts() {
        var sender = Sender(0.05, burst: 4)
        for _ in 0..<100 { sender.frame(4) }
        #expect(sender.blocks.allSatisfy { $0 == VideoProtection.Block(packets: 8, parities: 4) })
        var slow = Sender(0.05, burst: 8)
        for _ in 0..<100 { slow.frame(2) }
        // 150 ms are five frames.
        #expect(slow.blocks.allSatisfy { $0.packets <= 12 } && !slow.blocks.isEmpty)
    }

    @Test("What no mask can name, or was withdrawn, is not protected")
    func limits() {
        var sender = Sender(0.5)
        let blocks = [sender.frame(49), sender.frame(48)].map { $0?.packets }
        #expect(blocks == [nil, 48])
        var other = Sender(0.5)
        let withdrawn = other.frame(2)
        // The next frame has the same numbers: the one before has been removed.
        other.next -= 2
        let others = [withdrawn, other.frame(2), other.frame(2)].map { $0?.packets }
        #expect(others == [nil, nil, 4])
    }

    @Test("Every packet is protected, and no parity is empty", arguments: 1...24)
    func patterns(parities: Int) {
        for isInterleaved in [true, false] {
            for packets in max(parities, 2)...48 {
                let block = VideoProtection.Block(packets: packets, parities: parities, isInterleaved: isInterleaved)
                let rows = (0..<parities).map { row in (0..<packets).filter { block.protects($0, in: row) } }
                #expect(rows.allSatisfy { !$0.isEmpty } && Set(rows.joined()).count == packets)
                guard !isInterleaved, parities > 1 else { continue }
                #expect(rows.joined().count > packets, "some belong to several")
            }
        }
    }
}
