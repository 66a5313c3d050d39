/// Plays audio slightly faster or slower without changing its pitch: removes or inserts one period, with a cross-fade
/// at the seam (waveform similarity overlap-add).
package struct AudioTimeStretch {
    /// The samples needed to find a period: two of the longest.
    package static func neededSamples(sampleRate: Int) -> Int {
        Int(PitchSearch.longestMilliseconds * 2 * Double(sampleRate) / 1_000)
    }

    /// The mean square below which a seam is inaudible: about −60 dB.
    static let quiet: Float = 1_000

    /// Removes one period at the beginning of `samples`.
    ///
    /// - Parameters:
    ///   - samples: Interleaved. At least ``neededSamples(sampleRate:)`` of each channel, or nothing happens.
    ///   - isUrgent: Accepts a worse seam.
    /// - Returns: The number of samples of one channel removed.
    package static func shorten(_ samples: inout [Int16], channels: Int, sampleRate: Int, isUrgent: Bool) -> Int {
        guard let lag = period(of: samples, channels: channels, sampleRate: sampleRate, isUrgent: isUrgent) else {
            return 0
        }
        // Cross-fades the first period into the second and continues after that.
        for index in 0..<lag {
            for channel in 0..<channels {
                let here = index * channels + channel
                samples[here] = blend(samples[here], samples[here + lag * channels], index, lag)
            }
        }
        samples.removeSubrange(lag * channels..<2 * lag * channels)
        return lag
    }

    /// Inserts one period at the beginning of `samples`, repeating the last one played.
    ///
    /// - Parameters:
    ///   - samples: Interleaved. At least 10 ms, or nothing happens.
    ///   - played: The audio before `samples`, interleaved: at least 15 ms.
    ///   - isUrgent: Accepts a worse seam.
    /// - Returns: The number of samples of one channel added.
    package static func lengthen(
        _ samples: inout [Int16], after played: [Int16], channels: Int, sampleRate: Int, isUrgent: Bool = false
    ) -> Int {
        let window = sampleRate / 100
        let available = samples.count / channels
        guard available >= window else { return 0 }
        let start = played.count / channels
        let joined = played + samples
        let match = joined.withUnsafeBufferPointer {
            PitchSearch.match(
                in: $0, channels: channels, sampleRate: sampleRate, start: start, window: window, direction: -1)
        }
        guard let match, match.energy < quiet || match.squaredCorrelation > (isUrgent ? 0.25 : 0.81),
            match.lag <= available
        else {
            return 0
        }
        // The inserted period starts like the coming audio, which fits after the played one, and ends like the played
        // audio, which fits before the coming one.
        var inserted: [Int16] = []
        inserted.reserveCapacity(match.lag * channels)
        let before = (start - match.lag) * channels
        for index in 0..<match.lag {
            for channel in 0..<channels {
                let here = index * channels + channel
                inserted.append(blend(samples[here], joined[before + here], index, match.lag))
            }
        }
        samples.insert(contentsOf: inserted, at: 0)
        return match.lag
    }

    private static func period(of samples: [Int16], channels: Int, sampleRate: Int, isUrgent: Bool) -> Int? {
        let window = Int(PitchSearch.longestMilliseconds * Double(sampleRate) / 1_000)
        let match = samples.withUnsafeBufferPointer {
            PitchSearch.match(
                in: $0, channels: channels, sampleRate: sampleRate, start: 0, window: window, direction: 1)
        }
        guard let match else { return nil }
        // Silence may be cut anywhere; other audio only where it is periodic.
        guard match.energy < quiet || match.squaredCorrelation > (isUrgent ? 0.25 : 0.81) else { return nil }
        return match.lag
    }

    /// Blends from `first` at index 0 to `second` at index `count`.
    package static func blend(_ first: Int16, _ second: Int16, _ index: Int, _ count: Int) -> Int16 {
        let (left, right) = (Int(first), Int(second))
        return Int16(truncatingIfNeeded: (left * (count - index) + right * index) / count)
    }
}
