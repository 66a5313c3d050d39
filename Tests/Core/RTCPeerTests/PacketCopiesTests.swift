import RTCWire
import Testing

@testable import RTCPeer

@Suite("Copies of packets for a second path")
struct PacketCopiesTests {
    @discardableResult
    private func note(
        _ copies: inout PacketCopies, _ fill: UInt8, size: Int, isSound: Bool, at now: Instant = .zero
    ) -> Bool {
        var packet = [UInt8](repeating: fill, count: size)
        return packet.withUnsafeMutableBytes { copies.note($0, count: size, isSound: isSound, at: now) }
    }

    /// The first byte of each packet that one batch takes.
    private func written(_ copies: inout PacketCopies, room: Int = 65_000) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: room, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            copies.write(into: &batch)
            var first: [UInt8] = []
            batch.forEachFrame { _, datagram in first.append(datagram[0]) }
            return first
        }
    }

    @Test("Nothing is copied unless asked for, and of sound alone no pictures")
    func kinds() {
        var copies = PacketCopies()
        note(&copies, 1, size: 100, isSound: true)
        #expect(!copies.isWaiting && !copies.isCopying)
        copies.kinds = .audioAndReports
        let isSoundCopied = note(&copies, 1, size: 100, isSound: true)
        let isPictureCopied = note(&copies, 2, size: 100, isSound: false)
        #expect(isSoundCopied && !isPictureCopied)
        let first = written(&copies)
        #expect(first == [1] && !copies.isWaiting)
        note(&copies, 3, size: 100, isSound: true)
        copies.kinds = .nothing
        let rest = written(&copies)
        #expect(!copies.isWaiting && rest.isEmpty)
    }

    @Test("What does not fit into one batch follows in the next ones, in order")
    func order() {
        var copies = PacketCopies()
        copies.kinds = .everything
        for number in 1...6 as ClosedRange<UInt8> { note(&copies, number, size: 1_000, isSound: number % 2 == 0) }
        let first = written(&copies, room: 2_500)
        note(&copies, 7, size: 500, isSound: false)
        let second = written(&copies, room: 3_500)
        let last = written(&copies)
        #expect(first == [1, 2] && second == [3, 4, 5] && last == [6, 7])
        #expect(!copies.isWaiting)
    }

    @Test("Pictures keep to their budget, and sound is copied whatever they take")
    func budget() {
        var copies = PacketCopies()
        copies.kinds = .everything
        var bytes = 0
        var sound = 0
        for step in 0..<1_000 {
            let now = Instant.zero + .milliseconds(Int64(step) * 2)
            // 4 Mbit/s of video.
            note(&copies, 1, size: 1_000, isSound: false, at: now)
            if step % 10 == 0 { note(&copies, 2, size: 100, isSound: true, at: now) }
            let packets = written(&copies)
            bytes += packets.count { $0 == 1 } * 1_000
            sound += packets.count { $0 == 2 }
        }
        #expect(sound == 100)
        // The budget of two seconds at 450 kbit/s, and one burst.
        #expect(bytes > 100_000 && bytes < 135_000, "\(bytes)")
    }

    @Test("A key frame made for the second path goes there whole; one made for a fast path does not")
    func keyFrames() {
        for (size, isWhole) in [(9_000, true), (120_000, false)] {
            var copies = PacketCopies()
            copies.kinds = .everything
            var count = 0
            for _ in 0..<size / 1_000 {
                note(&copies, 1, size: 1_000, isSound: false)
                count += written(&copies).count
            }
            #expect((count == size / 1_000) == isWhole)
            #expect(count <= 20)
        }
    }

    @Test("A flood of sound that is not taken stays small")
    func bound() {
        var copies = PacketCopies()
        copies.kinds = .audioAndReports
        for _ in 0..<1_000 { note(&copies, 1, size: 1_000, isSound: true) }
        var count = 0
        while copies.isWaiting { count += written(&copies).count }
        #expect(count == 65)
    }
}
