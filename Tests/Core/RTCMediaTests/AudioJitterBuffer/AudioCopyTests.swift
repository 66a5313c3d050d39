import RTCWire
import Testing

@testable import RTCMedia

/// Earlier packets that others carry along (RFC 2198), in the jitter buffer.
@Suite("Sound with copies of earlier packets")
struct AudioCopyTests {
    @Test("Copies fill the places of lost packets, and every packet is played once and in its order")
    func lost() {
        var stream = AudioTestStream()
        stream.copies = [2, 1]
        let lost: Set<UInt32> = [50, 51, 90, 130, 131]
        for index: UInt32 in 0..<200 where !lost.contains(index) { stream.send(index, delay: .milliseconds(5)) }
        stream.play(until: .seconds(3))
        let decoded = stream.decoder.decodedPackets
        #expect(decoded == decoded.sorted() && Set(decoded).count == decoded.count)
        #expect(Set(90..<145).isSubset(of: Set(decoded)))
        let statistics = stream.buffer.statistics
        #expect(statistics.fecPacketsReceived > 280)
        #expect(statistics.fecPacketsReceived - statistics.fecPacketsDiscarded <= lost.count)
        #expect(statistics.packetsDiscarded == 0)
    }

    @Test("A copy never replaces a packet; a packet that comes late replaces its copy")
    func reordered() {
        var stream = AudioTestStream()
        stream.copies = [2, 1]
        // Each tenth is overtaken by the next one, which has its copy.
        for index: UInt32 in 0..<300 {
            stream.send(index, delay: index % 10 == 5 ? .milliseconds(27) : .milliseconds(5))
        }
        stream.play(until: .seconds(5))
        let decoded = stream.decoder.decodedPackets
        #expect(decoded == decoded.sorted() && Set(decoded).count == decoded.count && decoded.count >= 240)
        let statistics = stream.buffer.statistics
        #expect(statistics.concealedSamples <= 2 * 960)
        // Nothing was lost, so that in the end all copies were for nothing, but for those that were played already.
        #expect(statistics.fecPacketsReceived - statistics.fecPacketsDiscarded <= 25)
    }

    @Test("A stream does not begin with copies of what came before it, and takes none that come too late")
    func edges() {
        var stream = AudioTestStream()
        stream.copies = [2, 1]
        for index: UInt32 in 10..<60 { stream.send(index) }
        stream.play(until: .milliseconds(800))
        #expect(stream.decoder.decodedPackets.first == 10)
        // Sound of half a second ago.
        let before = stream.buffer.statistics
        let now = stream.now
        stream.insertCopy(
            ToneDecoder.payload(5), offset: 16_000, place: 1, number: 70_040,
            timestamp: RTPTimestamp(1_000 + 40 * 960), arrival: now)
        #expect(stream.buffer.statistics.fecPacketsDiscarded == before.fecPacketsDiscarded + 1)
    }

    @Test("What was concealed is not played again when a copy of it comes")
    func concealed() {
        var stream = AudioTestStream()
        for index: UInt32 in 0..<10 { stream.send(index) }
        stream.play(until: .milliseconds(500))
        // 300 ms were concealed. Of packets 10 to 13 there are copies, and the last one is no use either.
        let now = stream.now
        stream.copies = [4, 3, 2, 1]
        stream.insert(14, arrival: now)
        #expect(stream.buffer.statistics.fecPacketsReceived == stream.buffer.statistics.fecPacketsDiscarded)
        #expect(stream.buffer.statistics.fecPacketsReceived == 4)
    }

    @Test("Copies of nonsense change nothing: no offset, an unknown codec, no bytes, an empty buffer")
    func nonsense() {
        var stream = AudioTestStream()
        for (offset, type, bytes) in [
            (0, 111, [1]), (960, 99, [1]), (960, 111, []), (16_383, 111, [1, 2, 3]), (.max, 111, [1]),
        ] as [(UInt32, UInt8, [UInt8])] {
            stream.insertCopy(
                bytes, offset: offset, place: -5, number: .max, timestamp: RTPTimestamp(7), type: RTPPayloadType(type),
                arrival: .zero)
        }
        #expect(stream.buffer.statistics.fecPacketsReceived == 5 && stream.buffer.statistics.fecPacketsDiscarded == 5)
        for index: UInt32 in 0..<50 { stream.send(index) }
        stream.play(until: .seconds(1))
        #expect(stream.decoder.decodedPackets.count > 40)
    }

    @Test("A copy's number follows from its timestamp, and from its place where there was a pause")
    func numbers() {
        var packets = AudioPacketBuffer()
        let type = AudioTestStream.type
        let bytes: [UInt8] = [1]
        func add(_ number: Int64, _ time: Int64) -> AudioPacketBuffer.Insertion {
            bytes.withUnsafeBytes {
                packets.insert(
                    RawSpan(_unsafeBytes: $0), sequenceNumber: number, timestamp: time, payloadType: type,
                    arrival: .zero)
            }
        }
        func copy(_ time: Int64, latest: Int64, after last: Int64? = 9) -> Bool {
            bytes.withUnsafeBytes {
                packets.insertCopy(
                    RawSpan(_unsafeBytes: $0), timestamp: time, latest: latest, duration: 960, after: last,
                    payloadType: type, arrival: .zero)
            }
        }
        #expect(!copy(960, latest: 12))  // nothing that it comes before
        #expect(add(14, 4 * 960) == .inserted)
        #expect(copy(2 * 960, latest: 12) && packets[0].sequenceNumber == 12 && packets[0].isCopy)
        #expect(!copy(2 * 960, latest: 12))
        #expect(copy(3 * 960, latest: 13) && packets[1].sequenceNumber == 13)
        // The packet itself comes.
        #expect(add(13, 3 * 960) == .replacedCopy && !packets[1].isCopy && packets.count == 3)
        #expect(add(13, 3 * 960) == .duplicate)
        // 9 was played: there is no place between 9 and 10.
        #expect(add(10, 0) == .inserted)
        #expect(!copy(-960, latest: 9))
        #expect(!copy(-960, latest: 9, after: nil))
        // A pause of a second before number 20; number 19, which was before it, is lost.
        #expect(add(18, 8 * 960) == .inserted && add(20, 60 * 960) == .inserted)
        #expect(copy(9 * 960, latest: 19))
        #expect(packets[packets.count - 2].sequenceNumber == 19)
        // A number that was guessed wrong: the packet is known by its timestamp.
        #expect(add(24, 64 * 960) == .inserted)
        #expect(copy(61 * 960, latest: 23) && packets[packets.count - 2].sequenceNumber == 21)
        #expect(add(22, 61 * 960) == .replacedCopy && packets[packets.count - 2].sequenceNumber == 22)
    }

    // MARK: Bad paths

    @Test("10 % of random loss: two earlier packets leave a third of what one copy by the codec leaves")
    func randomLoss() {
        let without = Self.share(loss: 0.1, burst: 1, copies: [])
        let with = Self.share(loss: 0.1, burst: 1, copies: [2, 1])
        #expect(with.share < 0.004 && with.share < without.share / 3, "\(with.share) of \(without.share)")
        // Two packets are waited for.
        #expect(with.delay < without.delay + 45, "\(with.delay) ms, \(without.delay) ms")
    }

    @Test("Bursts of eight packets: two earlier packets give back more of each, and most those from further back")
    func bursts() {
        let without = Self.share(loss: 0.02, burst: 8, copies: [])
        let near = Self.share(loss: 0.02, burst: 8, copies: [2, 1])
        let far = Self.share(loss: 0.02, burst: 8, copies: [4, 2])
        #expect(far.share < near.share && near.share < without.share, "\(far), \(near), \(without)")
        #expect(far.share < 0.012, "\(far.share)")
    }

    @Test("On a clean path copies make nothing wait")
    func clean() {
        let (share, delay) = Self.share(loss: 0, burst: 1, copies: [4, 2])
        #expect(share < 0.0001 && delay < 35, "\(share), \(delay) ms")
    }

    @Test("Copies in the codec's packets and beside them do not get into each other's way")
    func both() {
        let (share, _) = Self.share(loss: 0.05, burst: 2, copies: [1])
        #expect(share < 0.006, "\(share)")
    }

    /// Over two minutes after the first ten seconds, with a codec that copies each packet into the next: what was concealed, and how
    /// many milliseconds waited.
    private static func share(loss: Double, burst: Int, copies: [UInt32]) -> (share: Double, delay: Double) {
        var path = AudioTestPath(seed: 5)
        path.loss = loss
        path.burst = burst
        var stream = AudioTestStream(decoder: ToneDecoder(hasForwardErrorCorrection: true))
        stream.copies = copies
        stream.send(over: &path, until: .seconds(120))
        _ = stream.concealedShare(until: .seconds(10))
        let share = stream.concealedShare(until: .seconds(119))
        let levels = stream.levels[1_000...]
        let delay = levels.reduce(0, +) / Double(levels.count)
        let played = stream.decoder.decodedPackets
        #expect(played == played.sorted() && Set(played).count == played.count)
        return (share, delay)
    }
}
