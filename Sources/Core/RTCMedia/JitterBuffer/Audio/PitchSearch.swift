/// Finds the lag at which audio resembles itself most, so that a period can be removed, inserted or repeated without a
/// click.
struct PitchSearch {
    /// Periods from 400 Hz down to 66 Hz.
    static let shortestMilliseconds = 2.5
    static let longestMilliseconds = 15.0

    struct Match {
        /// The lag in samples of one channel.
        var lag: Int
        /// The squared correlation with its sign, −1 to 1.
        var squaredCorrelation: Float
        /// The mean square of the first piece.
        var energy: Float
    }

    /// Compares the `window` samples at `start` with those up to 15 ms later (`direction` 1) or earlier (−1).
    ///
    /// - Parameters:
    ///   - samples: Interleaved; `start`, `window` and lags count samples of one channel.
    /// - Returns: `nil` when there are too few samples.
    static func match(
        in samples: UnsafeBufferPointer<Int16>, channels: Int, sampleRate: Int, start: Int, window: Int, direction: Int
    ) -> Match? {
        let shortest = Int(shortestMilliseconds * Double(sampleRate) / 1_000)
        let longest = Int(longestMilliseconds * Double(sampleRate) / 1_000)
        let count = samples.count / channels
        let first = direction > 0 ? start : start - longest
        let last = direction > 0 ? start + longest + window : start + window
        guard shortest > 0, window > 0, first >= 0, last <= count else { return nil }

        // Pitch shows below 2 kHz: 4,000 comparisons a second suffice for the coarse search.
        let coarse = max(1, sampleRate / 4_000)
        var best = correlate(samples, channels, start, start + direction * shortest, window, step: coarse)
        var lag = shortest
        var candidate = shortest
        while candidate <= longest {
            let found = correlate(samples, channels, start, start + direction * candidate, window, step: coarse)
            if found.squared > best.squared {
                best = found
                lag = candidate
            }
            candidate += coarse
        }
        for nearby in max(shortest, lag - coarse)...min(longest, lag + coarse) {
            let found = correlate(samples, channels, start, start + direction * nearby, window, step: 2)
            if found.squared > best.squared {
                best = found
                lag = nearby
            }
        }
        return Match(lag: lag, squaredCorrelation: best.squared, energy: best.energy)
    }

    /// The squared normalised correlation, with its sign, of the first channel at two places. The ranges were checked by the caller.
    private static func correlate(
        _ samples: UnsafeBufferPointer<Int16>, _ channels: Int, _ first: Int, _ second: Int, _ window: Int, step: Int
    ) -> (squared: Float, energy: Float) {
        var product: Float = 0
        var firstEnergy: Float = 0
        var secondEnergy: Float = 0
        var compared: Float = 0
        for offset in stride(from: 0, to: window, by: step) {
            let left = Float(samples[(first + offset) * channels])
            let right = Float(samples[(second + offset) * channels])
            product += left * right
            firstEnergy += left * left
            secondEnergy += right * right
            compared += 1
        }
        let norm = firstEnergy * secondEnergy
        return (norm > 0 ? product * product.magnitude / norm : 1, compared > 0 ? firstEnergy / compared : 0)
    }
}
