import Foundation

/// Finds in a recording of a call what was said when, so that the two can be compared.
///
/// A jitter buffer makes sound a little faster or slower as the network does, so one distance does not hold for a whole call:
/// it is looked for anew for each half second, near the one before.
enum SoundAlignment {
    /// In samples.
    private static let piece = SpeechIntelligibility.sampleRate / 2
    /// How far the distance may move from one piece to the next, in samples: 60 ms.
    private static let reach = SpeechIntelligibility.sampleRate * 6 / 100

    struct Aligned: Sendable {
        var sent: [Double] = []
        var received: [Double] = []
        /// In samples: the smallest and the largest distance that was found.
        var distances: ClosedRange<Int> = 0...0
    }

    /// The parts of both that belong together.
    ///
    /// - Returns: `nil` when nothing of `sent` is found in `received`.
    static func align(_ sent: [Double], _ received: [Double]) -> Aligned? {
        guard sent.count >= piece, received.count >= piece, let whole = distance(sent, received) else { return nil }
        var aligned = Aligned()
        aligned.distances = whole...whole
        var distance = whole
        for start in stride(from: max(0, -whole), through: sent.count - piece, by: piece) {
            distance = refined(distance, sent[start..<start + piece], received, start)
            let first = start + distance
            guard first >= 0, first + piece <= received.count else { continue }
            aligned.sent += sent[start..<start + piece]
            aligned.received += received[first..<first + piece]
            aligned.distances =
                min(distance, aligned.distances.lowerBound)...max(distance, aligned.distances.upperBound)
        }
        return aligned.sent.isEmpty ? nil : aligned
    }

    /// By how many samples `received` is later, where both agree best over their whole length.
    static func distance(_ sent: [Double], _ received: [Double]) -> Int? {
        var count = 1
        while count < sent.count + received.count { count *= 2 }
        let fourier = Fourier(count: count)
        func spectrum(_ samples: [Double]) -> (real: [Double], imaginary: [Double]) {
            var real = samples + [Double](repeating: 0, count: count - samples.count)
            var imaginary = [Double](repeating: 0, count: count)
            fourier.transform(&real, &imaginary)
            return (real, imaginary)
        }
        let (a, b) = (spectrum(sent), spectrum(received))
        var real = [Double](repeating: 0, count: count)
        var imaginary = real
        for index in 0..<count {
            // The conjugate of the first times the second, its parts exchanged: the transform is then the inverse one.
            imaginary[index] = a.real[index] * b.real[index] + a.imaginary[index] * b.imaginary[index]
            real[index] = a.real[index] * b.imaginary[index] - a.imaginary[index] * b.real[index]
        }
        fourier.transform(&real, &imaginary)
        guard let best = imaginary.indices.max(by: { imaginary[$0] < imaginary[$1] }), imaginary[best] > 0 else {
            return nil
        }
        return best > count / 2 ? best - count : best
    }

    /// The best distance of one piece, near that of the one before.
    private static func refined(_ distance: Int, _ piece: ArraySlice<Double>, _ received: [Double], _ start: Int) -> Int
    {
        let energy = piece.reduce(0) { $0 + $1 * $1 }
        // Silence fits everywhere.
        guard energy > 1e-4 * Double(piece.count) else { return distance }
        var best = (distance: distance, value: match(piece, received, start + distance) * 1.02)
        for candidate in distance - reach...distance + reach {
            let value = match(piece, received, start + candidate)
            if value > best.value { best = (candidate, value) }
        }
        return best.distance
    }

    /// The normalised correlation of a piece with as much from `first` on.
    private static func match(_ piece: ArraySlice<Double>, _ received: [Double], _ first: Int) -> Double {
        guard first >= 0, first + piece.count <= received.count else { return -1 }
        var (product, energy) = (0.0, 0.0)
        piece.withUnsafeBufferPointer { piece in
            received.withUnsafeBufferPointer { received in
                for index in piece.indices {
                    let value = received[first + index]
                    product += piece[index] * value
                    energy += value * value
                }
            }
        }
        return energy > 0 ? product / energy.squareRoot() : 0
    }
}
