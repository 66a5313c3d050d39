import RTCTransport
import RTCWire
import Testing

@Suite("Streams: the messages in them")
struct StreamFramingTests {
    private func take(_ pieces: [[UInt8]], _ reassembly: inout StreamReassembly) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        for bytes in pieces {
            bytes.withUnsafeBytes { memory in
                var piece = memory
                while true {
                    switch reassembly.next(in: &piece) {
                    case .borrowed(let message): messages.append(Array(message))
                    case .copied(let message): messages.append(message)
                    case .none: return
                    }
                }
            }
        }
        return messages
    }

    private func cut(_ bytes: [UInt8], _ random: SeededRandom, most: UInt64) -> [[UInt8]] {
        var rest = bytes[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            let piece = rest.prefix(1 + Int(random.next(below: most)))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }

    @Test(
        "STUN and channel data of every size come out however the stream is cut",
        arguments: [1, 3, 100, 70_000] as [UInt64])
    func turn(most: UInt64) throws {
        let random = SeededRandom(seed: most)
        var messages: [[UInt8]] = []
        for size in [0, 1, 2, 3, 4, 5, 1_200, 65_535] {
            var bytes: [UInt8] = [0x40, 1, UInt8(size >> 8), UInt8(size & 255)]
            bytes += random.bytes(size) + [UInt8](repeating: 0, count: (4 - size % 4) % 4)
            messages.append(bytes)
            messages.append(
                try #require(
                    stunMessage(.request, .allocate, .random(from: random)) {
                        $0.write(.software, String(repeating: "x", count: size % 700))
                    }))
        }
        var reassembly = StreamReassembly(.turn)
        #expect(take(cut(messages.flatMap { $0 }, random, most: most), &reassembly) == messages)
        #expect(reassembly.byteCount == 0 && !reassembly.isBroken)
    }

    @Test(
        "Packets with their length before them (RFC 4571), empty ones too", arguments: [1, 3, 100, 70_000] as [UInt64])
    func lengthPrefixed(most: UInt64) {
        let random = SeededRandom(seed: most)
        let messages = [0, 1, 2, 1_200, 65_535, 0, 7].map { random.bytes($0) }
        let stream = messages.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
        var reassembly = StreamReassembly(.lengthPrefixed)
        #expect(take(cut(stream, random, most: most), &reassembly) == messages)
    }

    @Test("What can begin no message breaks the stream; nothing more is kept")
    func broken() throws {
        for start: [UInt8] in [[0x80, 0, 0, 0], [20, 1, 1, 1], [0xFF], [0, 1, 0, 3], [0, 1, 0, 0, 1, 2, 3, 4]] {
            for most in [1, 100] as [UInt64] {
                var reassembly = StreamReassembly(.turn)
                let bytes = start + [UInt8](repeating: 0, count: 100)
                #expect(take(cut(bytes, SeededRandom(seed: 1), most: most), &reassembly).isEmpty)
                #expect(reassembly.isBroken && reassembly.byteCount == 0)
                #expect(take([[UInt8]](repeating: [0x40, 0, 0, 0], count: 10), &reassembly).isEmpty)
            }
        }
        var stun = StreamReassembly(.stun)
        #expect(take([[0x40, 0, 0, 0]], &stun).isEmpty && stun.isBroken)
    }

    @Test("No stream makes it keep more than one message")
    func bounded() {
        let random = SeededRandom(seed: 4_571)
        for framing in [StreamFraming.turn, .lengthPrefixed, .stun] {
            for _ in 0..<200 {
                var reassembly = StreamReassembly(framing)
                for _ in 0..<50 {
                    var bytes = random.bytes(1 + Int(random.next(below: 3_000)))
                    if framing != .lengthPrefixed, random.next() & 1 == 0 { bytes[0] = 0x40 | bytes[0] & 15 }
                    _ = take([bytes], &reassembly)
                    #expect(reassembly.byteCount <= 65_560)
                }
            }
        }
    }
}
