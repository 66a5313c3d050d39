/// The two laws of ITU-T G.711: 8 bits per sample, for a sign, a segment of three bits, and a step of four.
enum G711Law: Sendable {
    /// μ-law (PCMU), used in North America and Japan.
    case mu
    /// A-law (PCMA), used elsewhere.
    case a

    func encode(_ sample: Int16) -> UInt8 {
        let isNegative = sample < 0
        let magnitude = Int(isNegative ? ~sample : sample)
        let sign: UInt8 = isNegative ? 0 : 0x80
        switch self {
        case .mu:
            // 14 bits, with a bias that makes each segment start at a power of two.
            let biased = min(magnitude >> 2 + 33, 0x1FFF)
            let segment = Int.bitWidth - 1 - biased.leadingZeroBitCount - 5
            return (UInt8(segment << 4 | biased >> (segment + 1) & 15) ^ 0x7F) | sign
        case .a:
            // 13 bits; the first two segments have the same step size.
            let value = magnitude >> 4
            guard value > 15 else { return (UInt8(value) | sign) ^ 0x55 }
            let segment = Int.bitWidth - 1 - value.leadingZeroBitCount - 3
            return (UInt8(segment << 4 | value >> (segment - 1) & 15) | sign) ^ 0x55
        }
    }

    func decode(_ code: UInt8) -> Int16 { decoded[Int(code)] }

    private var decoded: [Int16] {
        switch self {
        case .mu: Self.decodedMu
        case .a: Self.decodedA
        }
    }

    private static let decodedMu: [Int16] = (0...255).map { code in
        let bits = ~UInt8(code)
        let magnitude = (Int(bits & 15) * 8 + 132) << Int(bits >> 4 & 7) - 132
        return Int16(bits & 0x80 != 0 ? -magnitude : magnitude)
    }

    private static let decodedA: [Int16] = (0...255).map { code in
        let bits = UInt8(code) ^ 0x55
        let segment = Int(bits >> 4 & 7)
        let step = Int(bits & 15) << 4 + 8
        let magnitude = segment == 0 ? step : (step + 256) << (segment - 1)
        return Int16(bits & 0x80 != 0 ? magnitude : -magnitude)
    }
}
