/// Plays sound a little faster or slower without changing its pitch: one period of it is taken out or put in, with a
/// cross-fade at the seam (waveform similarity overlap-add).
package struct AudioTimeStretch {
    /// Samples that a change needs to look at: two of the longest periods.
    package static func neededSamples(sampleRate: Int) -> Int {
        Int(PitchSearch.longestMilliseconds * 2 * Double(sampleRate) / 1_000)
    }

    /// Below this mean square nobody hears a seam: about −60 dB.
    static let quiet: Float = 1_000

    /// Takes one period out of the beginning of `samples`.
    ///
    /// - Parameters:
    ///   - samples: Interleaved. At least ``neededSamples(sampleRate:)`` of each channel, or nothing happens.
    ///   - isUrgent: A worse seam is accepted.
    /// - Returns: The number of samples of one channel that are gone.
    package static func shorten(_ samples: inout [Int16], channels: Int, sampleRate: Int, isUrgent: Bool) -> Int {
        guard let lag = period(of: samples, channels: channels, sampleRate: sampleRate, isUrgent: isUrgent) else {
            return 0
        }
        // The first period fades into the second, which then goes on: its own start is what is left out.
        for index in 0..<lag {
            for channel in 0..<channels {
                let here = index * channels + channel
                samples[here] = blend(samples[here], samples[here + lag * channels], index, lag)
            }
        }
        samples.removeSubrange(lag * channels..<2 * lag * channels)
        return lag
    }

    /// Puts one period in at the beginning of `samples`, by repeating the last one that was played.
    ///
    /// - Parameters:
    ///   - samples: Interleaved. At least 10 ms, or nothing happens.
    ///   - played: What came before `samples`, interleaved: at least 15 ms.
    ///   - isUrgent: A worse seam is accepted.
    /// - Returns: The number of samples of one channel that were added.
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
        // It begins as what comes, which fits behind what was played, and ends as what was played, which fits before
        // what comes.
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
        // Silence may be cut anywhere; sound only where it repeats itself.
        guard match.energy < quiet || match.squaredCorrelation > (isUrgent ? 0.25 : 0.81) else { return nil }
        return match.lag
    }

    /// From `first` at the start to `second` at the end of `count` steps.
    package static func blend(_ first: Int16, _ second: Int16, _ index: Int, _ count: Int) -> Int16 {
        let (left, right) = (Int(first), Int(second))
        return Int16(truncatingIfNeeded: (left * (count - index) + right * index) / count)
    }
}
