/// Conceals missing packets for codecs without a concealment of their own, and generates comfort noise during longer
/// losses.
///
/// The last audio is repeated period by period and fades out; noise at the level of the stream's quiet moments fades
/// in, since a dead line sounds broken. If still nothing arrives, the noise fades out too, because the other side has
/// stopped sending.
struct AudioConcealment {
    /// The times at which the repeated audio starts to fade and is silent, in milliseconds.
    static let fadeBegins = 20
    static let fadeEnds = 120
    /// The times at which the noise starts to fade and is silent, in milliseconds.
    static let noiseFadeBegins = 3_000
    static let noiseFadeEnds = 6_000

    private let sampleRate: Int
    private let channels: Int
    /// The last received audio, interleaved: at least four of the longest periods, once filled.
    private var history: [Int16] = []
    private var historyLimit: Int
    /// The repeated period, and the position in it, in samples of one channel.
    private var lag = 0
    private var phase = 0
    private var noise: NoiseSource

    init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
        historyLimit = sampleRate * channels * 60 / 1_000
        noise = NoiseSource(sampleRate: sampleRate)
        history.reserveCapacity(2 * historyLimit)
    }

    /// Adds received audio.
    mutating func addReceived(_ samples: UnsafeBufferPointer<Int16>) {
        lag = 0
        noise.observe(samples)
        history.append(contentsOf: samples)
        if history.count > 2 * historyLimit { history.removeFirst(history.count - historyLimit) }
    }

    /// Adds noise at the level of the stream's background to audio concealed by a codec, as that fades.
    ///
    /// - Parameter concealed: Samples concealed since the last received one.
    mutating func addNoise(to samples: UnsafeMutableBufferPointer<Int16>, after concealed: Int) {
        let share = progress(concealed, from: Self.fadeBegins, to: Self.fadeEnds)
        guard share > 0 else { return }
        for index in stride(from: 0, to: samples.count, by: channels) {
            let value = noise.next() * share
            for channel in index..<min(index + channels, samples.count) {
                samples[channel] = Self.clamp(Float(samples[channel]) + value)
            }
        }
    }

    /// Fills `output` with concealment audio.
    ///
    /// - Parameter concealed: Samples concealed since the last received one, by the codec or here.
    mutating func conceal(into output: UnsafeMutableBufferPointer<Int16>, after concealed: Int) {
        if progress(concealed, from: Self.noiseFadeBegins, to: Self.noiseFadeEnds) == 1 {
            output.update(repeating: 0)
            return
        }
        let count = output.count / channels
        if lag == 0 { findPeriod() }
        let start = history.count - lag * channels
        for index in 0..<count {
            let gain = 1 - progress(concealed + index, from: Self.fadeBegins, to: Self.fadeEnds)
            let noiseGain = 1 - progress(concealed + index, from: Self.noiseFadeBegins, to: Self.noiseFadeEnds)
            let value = noise.next() * (1 - gain) * noiseGain
            for channel in 0..<channels {
                let old: Float = lag > 0 ? Float(history[start + phase * channels + channel]) : 0
                output[index * channels + channel] = Self.clamp(old * gain + value)
            }
            if lag > 0 { phase = phase + 1 == lag ? 0 : phase + 1 }
        }
    }

    /// The progress of a fade after `samples` samples, 0 to 1. `begin` and `end` are in milliseconds.
    private func progress(_ samples: Int, from begin: Int, to end: Int) -> Float {
        let milliseconds = Float(samples) * 1_000 / Float(sampleRate)
        return min(max((milliseconds - Float(begin)) / Float(end - begin), 0), 1)
    }

    private mutating func findPeriod() {
        phase = 0
        let window = sampleRate * 10 / 1_000
        let match = history.withUnsafeBufferPointer {
            PitchSearch.match(
                in: $0, channels: channels, sampleRate: sampleRate, start: $0.count / channels - window,
                window: window, direction: -1)
        }
        lag = min(match?.lag ?? 0, history.count / channels)
    }

    static func clamp(_ value: Float) -> Int16 {
        Int16(max(-32_768, min(32_767, value)))
    }
}

/// Low-pass noise at the level of a stream's quiet moments.
struct NoiseSource {
    /// The mean magnitude of the quietest decoded block, rising slowly.
    private var level: Float?
    private var state: UInt32 = 0x2545_F491
    private var filtered: Float = 0
    private let rise: Float

    init(sampleRate: Int) {
        // Per decoded packet; 1.5 dB in five seconds of 20 ms packets.
        rise = 1.0007
    }

    mutating func observe(_ samples: UnsafeBufferPointer<Int16>) {
        guard samples.count > 0 else { return }
        var sum: Float = 0
        for sample in samples { sum += Float(sample).magnitude }
        let loudness = sum / Float(samples.count)
        level = min((level ?? loudness) * rise + 0.01, loudness)
    }

    mutating func next() -> Float {
        // A small linear congruential generator suffices for noise.
        state = state &* 1_664_525 &+ 1_013_904_223
        let white = Float(Int32(bitPattern: state)) / Float(Int32.max)
        // Room noise is dull rather than bright. The factor compensates the filter's attenuation.
        filtered += 0.5 * (white - filtered)
        // A louder background is continuous speech, which noise cannot replace.
        return filtered * 3 * min(level ?? 0, 150)
    }
}
