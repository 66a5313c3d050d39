import Foundation

/// Aligns the received audio of a call with the sent audio, so that the two can be compared.
///
/// A jitter buffer plays a little faster or slower, and inserts audio for late packets, so the delay is not constant for a whole
/// call, nor for half a second: it is searched in pieces of 100 ms. The delays of all pieces are determined together (Viterbi):
/// the best agreement with few and small changes, so that a vowel does not match its neighbouring period, nor silence anything.
enum SoundAlignment {
    /// The length of a piece in samples: 100 ms.
    private static let piece = SpeechIntelligibility.sampleRate / 10
    /// The samples that are compared to place a piece: the piece, and as many after it.
    private static let window = 2 * piece
    /// How far a delay may be from the best overall delay, in samples: 300 ms.
    private static let reach = SpeechIntelligibility.sampleRate * 3 / 10
    /// The step between delays that are tried, in samples.
    private static let step = 2
    /// The cost of changing the delay, and of each millisecond, relative to a correlation of 1 for a piece of mean loudness.
    private static let changeCost = 0.02
    private static let millisecondCost = 0.003
    /// The maximum weight of a piece, which otherwise depends on its loudness.
    private static let heaviest = 2.0

    struct Aligned: Sendable {
        var sent: [Double] = []
        var received: [Double] = []
        /// The smallest and the largest delay that were found, in samples.
        var distances: ClosedRange<Int> = 0...0
    }

    /// Returns the matching parts of both.
    ///
    /// - Parameter range: The range of the overall delay in samples, since repeated speech could match in a wrong place.
    /// - Returns: `nil` if nothing of `sent` is found in `received`.
    static func align(_ sent: [Double], _ received: [Double], in range: ClosedRange<Int>? = nil) -> Aligned? {
        guard sent.count >= window, received.count >= window, let whole = distance(sent, received, in: range) else {
            return nil
        }
        var aligned = Aligned()
        for (index, distance) in distances(sent, received, around: whole).enumerated() {
            let start = index * piece
            let first = start + distance
            guard first >= 0, first + piece <= received.count else { continue }
            let isFirst = aligned.sent.isEmpty
            aligned.sent += sent[start..<start + piece]
            aligned.received += received[first..<first + piece]
            let known = isFirst ? distance...distance : aligned.distances
            aligned.distances = min(distance, known.lowerBound)...max(distance, known.upperBound)
        }
        return aligned.sent.isEmpty ? nil : aligned
    }

    /// The overall delay of `received` in samples with the best correlation.
    static func distance(_ sent: [Double], _ received: [Double], in range: ClosedRange<Int>? = nil) -> Int? {
        var count = 1
        while count < sent.count + received.count { count *= 2 }
        let agreement = correlation(sent[...], received[...], Fourier(count: count))
        // Negative delays are at the end.
        let possible = (1 - sent.count)...(received.count - 1)
        let tried = range.map { $0.clamped(to: possible) } ?? possible
        func value(_ distance: Int) -> Double { agreement[distance < 0 ? distance + count : distance] }
        guard let best = tried.max(by: { value($0) < value($1) }), value(best) > 0 else { return nil }
        return best
    }

    /// The cross-correlation: the sum of products for each delay of the second array.
    private static func correlation(
        _ first: ArraySlice<Double>, _ second: ArraySlice<Double>, _ fourier: Fourier
    ) -> [Double] {
        let count = fourier.count
        func spectrum(_ samples: ArraySlice<Double>) -> (real: [Double], imaginary: [Double]) {
            var real = Array(samples) + [Double](repeating: 0, count: count - samples.count)
            var imaginary = [Double](repeating: 0, count: count)
            fourier.transform(&real, &imaginary)
            return (real, imaginary)
        }
        let (a, b) = (spectrum(first), spectrum(second))
        var real = [Double](repeating: 0, count: count)
        var imaginary = real
        for index in 0..<count {
            // The product of the conjugate of the first with the second, with real and imaginary parts exchanged: the forward
            // transform is then the inverse.
            imaginary[index] = a.real[index] * b.real[index] + a.imaginary[index] * b.imaginary[index]
            real[index] = a.real[index] * b.imaginary[index] - a.imaginary[index] * b.real[index]
        }
        fourier.transform(&real, &imaginary)
        return imaginary.map { $0 / Double(count) }
    }

    // MARK: Segments

    /// The delay of each piece of `sent`.
    private static func distances(_ sent: [Double], _ received: [Double], around whole: Int) -> [Int] {
        let states = 2 * reach / step + 1
        let fourier = Fourier(count: 8_192)  // 2 · reach + window is less
        let mean = max(energy(sent[...]) / Double(sent.count), .ulpOfOne)
        var best = [Double](repeating: 0, count: states)
        var origins: [[Int16]] = []
        for start in stride(from: 0, through: sent.count - window, by: piece) {
            if start > 0 {
                let (next, from) = change(best)
                best = next
                origins.append(from)
            }
            let own = sent[start..<start + window]
            let weight = min(heaviest, (energy(own) / Double(window) / mean).squareRoot())
            let agreement = agreement(own, stretch(received, from: start + whole - reach), fourier)
            for state in 0..<states { best[state] += weight * agreement[state] }
        }
        guard var state = best.indices.max(by: { best[$0] < best[$1] }) else { return [] }
        var path = [state]
        for origin in origins.reversed() {
            state = Int(origin[state])
            path.append(state)
        }
        return path.reversed().map { whole - reach + $0 * step }
    }

    /// The best value at each delay over all previous delays, and which one it comes from.
    private static func change(_ values: [Double]) -> (values: [Double], origins: [Int16]) {
        let cost = millisecondCost * Double(step) * 1_000 / Double(SpeechIntelligibility.sampleRate)
        var changed = values
        var origins = values.indices.map { Int16($0) }
        func offer(_ value: Double, from origin: Int, to state: Int) {
            guard value - changeCost > changed[state] else { return }
            changed[state] = value - changeCost
            origins[state] = Int16(origin)
        }
        // Upwards first, then downwards.
        var (value, origin) = (values[0], 0)
        for state in values.indices.dropFirst() {
            value -= cost
            offer(value, from: origin, to: state)
            if values[state] > value { (value, origin) = (values[state], state) }
        }
        (value, origin) = (values[values.count - 1], values.count - 1)
        for state in values.indices.dropLast().reversed() {
            value -= cost
            offer(value, from: origin, to: state)
            if values[state] > value { (value, origin) = (values[state], state) }
        }
        return (changed, origins)
    }

    /// The normalised correlation at each delay, −1 to 1.
    private static func agreement(_ own: ArraySlice<Double>, _ other: [Double], _ fourier: Fourier) -> [Double] {
        let products = correlation(own, other[...], fourier)
        let ownEnergy = energy(own)
        var otherEnergy = energy(other[..<window])
        var values: [Double] = []
        values.reserveCapacity(2 * reach / step + 1)
        for first in 0...2 * reach {
            if first > 0 {
                let (gone, come) = (other[first - 1], other[first + window - 1])
                otherEnergy = max(0, otherEnergy - gone * gone + come * come)
            }
            guard first.isMultiple(of: step) else { continue }
            values.append(products[first] / (ownEnergy * otherEnergy + 1e-9).squareRoot())
        }
        return values
    }

    /// The samples that a piece is compared with, padded with silence.
    private static func stretch(_ samples: [Double], from first: Int) -> [Double] {
        let count = 2 * reach + window
        let inside = max(0, first)..<max(max(0, first), min(samples.count, first + count))
        guard !inside.isEmpty else { return [Double](repeating: 0, count: count) }
        let before = [Double](repeating: 0, count: inside.lowerBound - first)
        return before + samples[inside] + [Double](repeating: 0, count: count - before.count - inside.count)
    }

    private static func energy(_ samples: ArraySlice<Double>) -> Double { samples.reduce(0) { $0 + $1 * $1 } }
}
