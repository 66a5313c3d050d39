/// Measures the frequency of a tone in the first channel.
///
/// It computes the power at a grid of frequencies (Goertzel's algorithm), and searches for the maximum near the best of
/// them. Codec artefacts do not affect the result.
package struct FrequencyMeter: Sendable {
    private var window: [Float] = []
    private var sampleRate = 0
    private let seconds: Double

    /// Creates a meter.
    ///
    /// - Parameter seconds: The duration of audio to analyse. The longer, the more exact.
    package init(seconds: Double = 0.25) {
        self.seconds = seconds
    }

    /// Appends a buffer. A change of the sample rate starts anew.
    package mutating func append(_ frame: AudioFrame) {
        if frame.sampleRate != sampleRate {
            window.removeAll(keepingCapacity: true)
            sampleRate = frame.sampleRate
        }
        for index in stride(from: 0, to: frame.samples.count, by: max(1, frame.channels)) {
            window.append(Float(frame.samples[index]) / 32_768)
        }
        let wanted = Int(seconds * Double(sampleRate))
        if window.count > wanted { window.removeFirst(window.count - wanted) }
    }

    /// Whether enough audio was appended.
    package var isFull: Bool { sampleRate > 0 && window.count >= Int(seconds * Double(sampleRate)) }

    /// Returns the frequency in hertz with the most power, from 50 hertz to 45 % of the sample rate; `nil` for silence,
    /// noise, or too little audio.
    package func frequency() -> Double? {
        guard window.count >= 256, sampleRate > 0 else { return nil }
        guard Self.meanPower(window[...]) > 1e-7 else { return nil }
        // A short piece gives an estimate, which the whole then refines.
        let piece = window.suffix(2_048)
        var best = (frequency: 0.0, share: 0.0)
        let coarse = Double(sampleRate) / Double(piece.count)
        for candidate in stride(from: 50, to: Double(sampleRate) * 0.45, by: coarse) {
            let share = Self.share(of: candidate / Double(sampleRate), in: piece)
            if share > best.share { best = (candidate, share) }
        }
        let fine = Double(sampleRate) / Double(window.count) / 2
        var wide = best
        wide.share = share(of: best.frequency)
        for candidate in stride(from: best.frequency - coarse, through: best.frequency + coarse, by: fine) {
            let share = share(of: candidate)
            if share > wide.share { wide = (candidate, share) }
        }
        var step = fine / 2
        while step > 0.05 {
            for candidate in [wide.frequency - step, wide.frequency + step] {
                let share = share(of: candidate)
                if share > wide.share { wide = (candidate, share) }
            }
            step /= 2
        }
        return wide.share >= 0.5 ? wide.frequency : nil
    }

    /// Returns the fraction of the power at `frequency` in hertz, 0 to 1.
    package func share(of frequency: Double) -> Double {
        guard window.count >= 256, sampleRate > 0 else { return 0 }
        return Self.share(of: frequency / Double(sampleRate), in: window[...])
    }

    /// `turns` is the frequency as a fraction of the sample rate.
    private static func share(of turns: Double, in samples: ArraySlice<Float>) -> Double {
        let total = meanPower(samples)
        guard total > 1e-9 else { return 0 }
        let coefficient = Float(2 * cosine(turns: turns))
        let length = Double(samples.count)
        var before: Float = 0
        var last: Float = 0
        // The Hann window, by the recurrence that derives a cosine from the two samples before.
        let windowCoefficient = 2 * cosine(turns: 1 / length)
        var windowLast = cosine(turns: -0.5 / length)
        var windowNow = cosine(turns: 0.5 / length)
        for sample in samples {
            let weight = Float(0.5 - 0.5 * windowNow)
            let now = sample * weight + coefficient * last - before
            before = last
            last = now
            let windowNext = windowCoefficient * windowNow - windowLast
            windowLast = windowNow
            windowNow = windowNext
        }
        let power = Double(last * last + before * before - coefficient * last * before)
        // A tone of amplitude a has power a²/2, and gives (a · length / 4)² here.
        return min(1, power * 8 / (length * length) / total)
    }

    private static func meanPower(_ samples: ArraySlice<Float>) -> Double {
        guard !samples.isEmpty else { return 0 }
        return Double(samples.reduce(0) { $0 + $1 * $1 }) / Double(samples.count)
    }
}
