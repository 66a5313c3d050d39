import RTCWire

/// Finds how late played audio is in what a microphone delivers, if echo cancellation leaves it there.
///
/// A canceller is told when audio will be heard, and loses its hold when that is no longer true: a sound server that stumbles
/// plays or records some 20 ms sooner or later than before, for good. Both sides' loudness, millisecond by millisecond, is
/// compared at each possible delay. Where an echo is left, one delay fits far better than all others, and stays; where none is
/// left, or somebody speaks, none does.
///
/// Whether an echo is left is found in the audio after the canceller, and how late it is in the audio before it: a canceller that
/// no longer reaches the echo takes 20 dB of it out for a while, and the rest fits at another delay each time. Samples are at
/// 48 kHz, interleaved.
struct EchoAlignment {
    /// Delays that are told from each other, in milliseconds.
    static let delays = -60...200
    /// The milliseconds that are compared at a time.
    private static let window = 500
    /// How often the same delay has to be found in a row.
    private static let repetitions = 3
    /// How well loudness fits at the delay, as a correlation.
    private static let leastFit: Float = 0.6
    /// The mean of a sample's magnitude below which there is nothing to hear.
    private static let leastLoudness: Float = 8
    /// The mean from which what is played would be heard, if it were not cancelled.
    private static let audible: Float = 200
    /// The largest part of that which is still no echo, where no delay fits: more is somebody who speaks.
    private static let largestRest: Float = 0.1
    /// The number of comparisons in a row without an echo, after which the canceller holds again.
    private static let cleanRepetitions = 2

    /// Half a second of what was heard, compared with what was played.
    private enum Comparison {
        case echo(delay: Int)
        /// Something was played, and is not heard.
        case clean
        /// Nothing was played, or something else was heard.
        case uncertain
    }

    /// Since when an echo is left; `nil` while none is, as far as that can be told.
    private(set) var lostSince: Instant?

    private var played = LoudnessHistory()
    private var recorded = LoudnessHistory()
    private var heard = LoudnessHistory()
    /// The millisecond from which on the next comparison is made.
    private var next: Int64?
    private var found: (delay: Int, times: Int, since: Instant)?
    private var cleanTimes = 0

    /// Notes played audio.
    ///
    /// - Parameter time: When it was said to be heard.
    mutating func plays(_ samples: UnsafeBufferPointer<Int16>, channels: Int, at time: Instant) {
        played.add(samples, channels: channels, at: time)
    }

    /// Notes audio of the microphone, before the canceller.
    mutating func records(_ samples: UnsafeBufferPointer<Int16>, channels: Int, at time: Instant) {
        recorded.add(samples, channels: channels, at: time)
    }

    /// Notes audio of the microphone, after the canceller. The same audio before it was noted already, if it is known.
    ///
    /// - Returns: How much later than said played audio is heard; `nil` while it is not, or is uncertain.
    mutating func hears(_ samples: UnsafeBufferPointer<Int16>, channels: Int, at time: Instant) -> TimeDelta? {
        heard.add(samples, channels: channels, at: time)
        let begin = next ?? heard.end
        next = begin
        guard heard.end >= begin + Int64(Self.window) else { return nil }
        next = heard.end
        // After a pause, what was before it is not compared.
        guard heard.end - begin < 2 * Int64(Self.window) else {
            found = nil
            return nil
        }
        let first = heard.end - Int64(Self.window)
        switch compare(from: first) {
        case .echo(let delay):
            cleanTimes = 0
            return repeated(delay, at: .zero + .milliseconds(first))
        case .clean:
            cleanTimes += 1
            if cleanTimes >= Self.cleanRepetitions { lostSince = nil }
        case .uncertain: break
        }
        found = nil
        return nil
    }

    /// - Returns: The delay, if it was found often enough in a row.
    private mutating func repeated(_ delay: Int, at time: Instant) -> TimeDelta? {
        if let known = found, abs(known.delay - delay) <= 4 {
            found = (delay, known.times + 1, known.since)
        } else {
            found = (delay, 1, time)
        }
        guard let found, found.times >= Self.repetitions else { return nil }
        lostSince = lostSince ?? found.since
        return .milliseconds(Int64(delay))
    }

    /// Forgets what was found, because the canceller has been told anew.
    mutating func restart() { found = nil }

    private func compare(from begin: Int64) -> Comparison {
        let echo = Deviations(heard.values(from: begin, count: Self.window))
        if let delay = fit(echo, from: begin) {
            let whole = Deviations(recorded.values(from: begin, count: Self.window))
            return .echo(delay: fit(whole, from: begin) ?? delay)
        }
        // The echo of what is played now may be heard a little later.
        let sound = played.mean(from: begin, count: Self.window)
        return sound >= Self.audible && echo.mean < sound * Self.largestRest ? .clean : .uncertain
    }

    /// The delay at which half a second of what was heard fits what was played.
    private func fit(_ echo: Deviations, from begin: Int64) -> Int? {
        guard echo.mean >= Self.leastLoudness else { return nil }
        var best: (delay: Int, fit: Float) = (0, Self.leastFit)
        for delay in Self.delays {
            let sound = Deviations(played.values(from: begin - Int64(delay), count: Self.window))
            guard sound.mean >= Self.leastLoudness else { continue }
            let fit = echo.correlation(with: sound)
            if fit > best.fit { best = (delay, fit) }
        }
        return best.fit > Self.leastFit ? best.delay : nil
    }
}

/// The loudness of each of the last milliseconds: the mean magnitude of a sample. What was not noted is silence.
private struct LoudnessHistory {
    private static let capacity: Int64 = 1_024
    private var values = [Float](repeating: 0, count: Int(capacity))
    /// The millisecond after the last one noted.
    private(set) var end: Int64 = 0

    mutating func add(_ samples: UnsafeBufferPointer<Int16>, channels: Int, at time: Instant) {
        let size = 48 * max(channels, 1)
        let first = time.nanoseconds / 1_000_000
        // What comes out of order, or after a pause, begins anew.
        let start = abs(first - end) <= 2 ? end : first
        if start < end || start - end >= Self.capacity {
            for place in values.indices { values[place] = 0 }
        } else {
            for millisecond in end..<start { values[place(of: millisecond)] = 0 }
        }
        end = start
        for begin in stride(from: 0, through: samples.count - size, by: size) {
            var sum: Float = 0
            for sample in samples[begin..<begin + size] { sum += abs(Float(sample)) }
            values[place(of: end)] = sum / Float(size)
            end += 1
        }
    }

    func mean(from first: Int64, count: Int) -> Float {
        values(from: first, count: count).reduce(0, +) / Float(max(count, 1))
    }

    func values(from first: Int64, count: Int) -> [Float] {
        (first..<first + Int64(count)).map { $0 < end && $0 >= end - Self.capacity ? values[place(of: $0)] : 0 }
    }

    private func place(of millisecond: Int64) -> Int { Int(millisecond & (Self.capacity - 1)) }
}

/// Values as deviations from their mean.
private struct Deviations {
    let mean: Float
    private let deviations: [Float]
    private let square: Float

    init(_ values: [Float]) {
        let mean = values.reduce(0, +) / Float(max(values.count, 1))
        deviations = values.map { $0 - mean }
        square = deviations.reduce(0) { $0 + $1 * $1 }
        self.mean = mean
    }

    func correlation(with other: Deviations) -> Float {
        guard square > 0, other.square > 0 else { return 0 }
        var sum: Float = 0
        for place in deviations.indices { sum += deviations[place] * other.deviations[place] }
        return sum / (square * other.square).squareRoot()
    }
}
