import RTCPeer
import RTCWire
import Testing

@Suite("Hostile descriptions")
struct HostileSDPTests {
    @Test("20,000 damaged descriptions are read or refused, and what is read survives another round")
    func mutations() throws {
        let random = SeededRandom(seed: 0x5D9)
        let seeds = BrowserDescriptions.all.map { Array($0.text.utf8) }.filter { $0.count < 1_200 }
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = seeds[Int(random.next(below: UInt64(seeds.count)))]
            for _ in 0...random.next(below: 4) { Mutation.apply(to: &bytes, random) }
            guard let sdp = try? SDP(parsing: String(decoding: bytes, as: UTF8.self)) else { continue }
            accepted += 1
            let text = sdp.serialized
            let again = try SDP(parsing: text)
            #expect(again == sdp)
            #expect(again.serialized == text)
        }
        // Neither all nor none: the test would test nothing.
        #expect(accepted > 1_000 && accepted < 19_000)
    }
}

/// Damage of the kinds that break parsers.
enum Mutation {
    private static let words: [[UInt8]] = [
        "\r", "\n", "\r\n", "\0", " ", "  ", ":", "=", "a=", "m=", "m=audio 0 x 0\n", "a=bundle-only\n", "a=mid:0\n",
        "a=group:BUNDLE 0 9\n", "18446744073709551616", "-1", "65536", "\u{301}", "\u{10FFFF}", ";", "~", ",", "/", "*",
        "a=ice-lite\n", "a=end-of-candidates\n", "a=candidate:1 1 udp 1 1.1.1.1 1 typ host\n", "a=setup:active\n",
    ].map { Array($0.utf8) }

    static func apply(to bytes: inout [UInt8], _ random: SeededRandom) {
        guard !bytes.isEmpty else { return }
        let position = Int(random.next(below: UInt64(bytes.count)))
        let end = min(bytes.count, position + Int(random.next(below: 40)))
        switch random.next(below: 7) {
        case 0: bytes[position] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.insert(contentsOf: words[Int(random.next(below: UInt64(words.count)))], at: position)
        case 2: bytes.removeSubrange(position..<end)
        case 3: bytes.insert(contentsOf: bytes[position..<end], at: Int(random.next(below: UInt64(bytes.count))))
        case 4: bytes.removeSubrange(position...)
        case 5: bytes[position] ^= 1 << UInt8(random.next(below: 8))
        default:
            // A whole line again, or gone: what a clumsy gateway does.
            let start = bytes[..<position].lastIndex(of: 10).map { $0 + 1 } ?? 0
            let stop = bytes[position...].firstIndex(of: 10).map { $0 + 1 } ?? bytes.count
            if random.next(below: 2) == 0 {
                bytes.insert(contentsOf: bytes[start..<stop], at: stop)
            } else {
                bytes.removeSubrange(start..<stop)
            }
        }
    }
}
