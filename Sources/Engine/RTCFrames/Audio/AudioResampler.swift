/// Converts a stream of audio from one sample rate to another, with a polyphase windowed sinc filter that delays it by
/// ``delay``.
package struct AudioResampler: Sendable {
    package let inputRate: Int
    package let outputRate: Int
    package let channels: Int
    /// The distance of output samples is `step / scale` input samples.
    private let step: Int
    private let scale: Int
    private let phases: Int
    /// The number of filter taps, a multiple of eight.
    private let taps: Int
    private let coefficients: [Float]
    /// The input samples still needed, for each channel.
    private var pending: [[Float]]
    /// The position of the next output sample, in input samples from the beginning of `pending`, times `scale`.
    private var position = 0

    /// The number of zero crossings of the sinc on either side.
    private static let lobes = 16
    /// The limit on phases; others are rounded to the nearest, with an error of more than 60 dB below the signal.
    private static let mostPhases = 1_024

    /// Creates a resampler.
    ///
    /// - Precondition: Rates are in 4,000 to 192,000, and channels 1 or 2.
    package init(from inputRate: Int, to outputRate: Int, channels: Int) {
        precondition((4_000...192_000).contains(inputRate) && (4_000...192_000).contains(outputRate))
        precondition(channels == 1 || channels == 2)
        self.inputRate = inputRate
        self.outputRate = outputRate
        self.channels = channels
        let divisor = Self.greatestCommonDivisor(inputRate, outputRate)
        step = inputRate / divisor
        scale = outputRate / divisor
        phases = min(scale, Self.mostPhases)
        // For downsampling, the filter needs a lower cutoff and is therefore longer.
        let bandwidth = min(1, Double(outputRate) / Double(inputRate))
        let half = (Int((Double(Self.lobes) / bandwidth).rounded(.up)) + 3) & ~3
        taps = 2 * half
        coefficients = Self.design(phases: phases, half: half, cutoff: bandwidth * 0.93)
        pending = Array(repeating: Array(repeating: 0, count: half), count: channels)
    }

    /// The delay in output samples.
    package var delay: Int { taps / 2 * scale / step }

    /// Converts interleaved `samples`, and appends the result to `output`.
    package mutating func convert(_ samples: UnsafeBufferPointer<Int16>, into output: inout [Int16]) {
        let count = samples.count / channels
        for channel in 0..<channels {
            pending[channel].reserveCapacity(pending[channel].count + count)
            for index in 0..<count { pending[channel].append(Float(samples[index * channels + channel])) }
        }
        let available = pending[0].count
        let first = output.count
        var made = 0
        // The taps extend from half of them before an output sample to half of them after it.
        while position / scale + taps <= available {
            position += step
            made += 1
        }
        output.append(contentsOf: repeatElement(0, count: made * channels))
        output.withUnsafeMutableBufferPointer { output in
            coefficients.withUnsafeBufferPointer { coefficients in
                for channel in 0..<channels {
                    pending[channel].withUnsafeBufferPointer { input in
                        var place = position - made * step
                        for index in 0..<made {
                            let phase = phases == scale ? place % scale : place % scale * phases / scale
                            let sum = dot(input, at: place / scale, coefficients, at: phase * taps)
                            output[first + index * channels + channel] = Int16(max(-32_768, min(32_767, sum.rounded())))
                            place += step
                        }
                    }
                }
            }
        }
        let used = min(position / scale, available)
        for channel in 0..<channels { pending[channel].removeFirst(used) }
        position -= used * scale
    }

    private func dot(
        _ input: UnsafeBufferPointer<Float>, at start: Int, _ coefficients: UnsafeBufferPointer<Float>, at first: Int
    ) -> Float {
        let input = UnsafeRawPointer(input.baseAddress! + start)
        let coefficients = UnsafeRawPointer(coefficients.baseAddress! + first)
        var sums = SIMD8<Float>.zero
        for offset in stride(from: 0, to: taps * 4, by: 32) {
            sums +=
                input.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                * coefficients.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
        }
        return sums.sum()
    }

    /// `cutoff` is a fraction of half the input rate. Tap `index` of a phase applies to the input `index - half + 1`
    /// samples after the one before the output.
    private static func design(phases: Int, half: Int, cutoff: Double) -> [Float] {
        var coefficients: [Float] = []
        coefficients.reserveCapacity(phases * 2 * half)
        for phase in 0..<phases {
            let fraction = Double(phase) / Double(phases)
            var taps: [Double] = []
            for index in 0..<2 * half {
                let distance = Double(index - half + 1) - fraction
                let turns = distance / Double(2 * half)
                // The Blackman window, with side lobes 58 dB down.
                let window = 0.42 + 0.5 * cosine(turns: turns) + 0.08 * cosine(turns: 2 * turns)
                let argument = distance * cutoff
                let sinc = abs(argument) < 1e-9 ? 1 : sine(turns: argument / 2) / (Double.pi * argument)
                taps.append(sinc * max(0, window))
            }
            let sum = taps.reduce(0, +)
            coefficients += taps.map { Float($0 / sum) }
        }
        return coefficients
    }

    private static func greatestCommonDivisor(_ left: Int, _ right: Int) -> Int {
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return left
    }
}
