import Testing

@testable import RTCCodecs

@Suite("G.711")
struct G711Tests {
    @Test("Decodes as tables 1 and 2 of the recommendation say")
    func decodes() {
        // Code, and what it stands for, in the 16 bits of ITU-T G.191.
        let mu: [(UInt8, Int16)] = [
            (0xFF, 0), (0x7F, 0), (0xFE, 8), (0x7E, -8), (0xF0, 120), (0xEF, 132), (0xE0, 372), (0xD0, 876),
            (0x80, 32_124), (0x00, -32_124), (0x8F, 16_764), (0x0F, -16_764),
        ]
        for (code, sample) in mu { #expect(G711Law.mu.decode(code) == sample, "\(code)") }
        let a: [(UInt8, Int16)] = [
            (0xD5, 8), (0x55, -8), (0xD4, 24), (0x54, -24), (0xC5, 264), (0xF5, 528), (0xAA, 32_256), (0x2A, -32_256),
            (0x80, 5_504), (0x00, -5_504), (0xA5, 16_896), (0x25, -16_896),
        ]
        for (code, sample) in a { #expect(G711Law.a.decode(code) == sample, "\(code)") }
    }

    @Test("Every code stands for a sample that is coded by it again", arguments: [G711Law.mu, .a])
    func bijective(law: G711Law) {
        for code in UInt8.min...UInt8.max {
            let again = law.encode(law.decode(code))
            // Zero has two codes in the law of North America.
            #expect(again == code || (law == .mu && code == 0x7F && again == 0xFF))
        }
    }

    @Test("Every sample comes back within half a step", arguments: [G711Law.mu, .a])
    func withinHalfAStep(law: G711Law) {
        for sample in stride(from: -32_768, through: 32_767, by: 1) {
            let decoded = Int(law.decode(law.encode(Int16(sample))))
            let magnitude = abs(sample)
            let allowed = max(law == .mu ? 6 : 16, magnitude / 31 + 4)
            #expect(abs(decoded - sample) <= allowed || magnitude > 32_124, "\(sample) became \(decoded)")
        }
        #expect(law.decode(law.encode(.max)) > 32_000 && law.decode(law.encode(.min)) < -32_000)
    }

    @Test("Codes rise with the samples")
    func monotonic() {
        for law in [G711Law.mu, .a] {
            var last = Int16.min
            for sample in stride(from: Int16.min, through: .max, by: 1) {
                let decoded = law.decode(law.encode(sample))
                #expect(decoded >= last)
                last = decoded
            }
        }
    }
}
