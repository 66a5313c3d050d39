/// An audio level as in RFC 6464: in −dBov, from 0 for a square wave at full scale to 127 for silence.
public struct AudioLevel: Sendable, Hashable {
    public let rawValue: UInt8

    /// Computes the level of `samples`, of all channels together.
    @usableFromInline package init(of samples: UnsafeBufferPointer<Int16>) {
        var sum: Int64 = 0
        for sample in samples { sum += Int64(Int32(sample) * Int32(sample)) }
        guard sum > 0, !samples.isEmpty else {
            rawValue = 127
            return
        }
        var power = Double(sum) / Double(samples.count) / (32_767 * 32_767)
        var level = 0
        // One step of the loop is one decibel.
        while power < Self.halfDecibelDown, level < 127 {
            power *= Self.decibel
            level += 1
        }
        rawValue = UInt8(level)
    }

    @usableFromInline package init(of samples: [Int16]) {
        self = samples.withUnsafeBufferPointer { AudioLevel(of: $0) }
    }

    /// Whether the level is above the noise of a quiet room, which suggests speech.
    public var mayBeVoice: Bool { rawValue < 55 }

    /// 10^(1/10).
    private static let decibel = 1.258_925_411_794_167_2
    /// 10^(−1/20).
    private static let halfDecibelDown = 0.891_250_938_133_745_6
}
