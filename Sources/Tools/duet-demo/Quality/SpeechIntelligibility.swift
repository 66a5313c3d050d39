import Foundation
import RTCFrames

/// STOI, the short-time objective intelligibility of speech (Taal, Hendriks, Heusdens and Jensen, 2011): the correlation of the
/// envelopes of clean and received speech in fifteen bands, over segments of 384 ms. 1 for identical speech; 0.9 and more for
/// speech that is understood without effort.
enum SpeechIntelligibility {
    /// The sample rate in hertz.
    static let sampleRate = 10_000
    private static let frame = 256
    private static let hop = 128
    private static let transformCount = 512
    private static let bandCount = 15
    private static let lowestCenter = 150.0
    /// The frames of a segment.
    private static let stretch = 30
    /// How far below the loudest frame a frame still counts, in decibels.
    private static let dynamicRange = 40.0
    /// How far the received speech may exceed the clean speech in a band before it is clipped, in decibels.
    private static let bound = -15.0
    private static let tiny = Double.ulpOfOne

    private static let window: [Double] = (1...frame).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(frame + 1)) }

    /// - Parameters:
    ///   - clean: The sent speech, at ``sampleRate``.
    ///   - other: The received speech, aligned with it.
    /// - Returns: `nil` if there is less than 384 ms of speech.
    static func stoi(_ clean: [Double], _ other: [Double]) -> Double? {
        let count = min(clean.count, other.count)
        guard count >= frame else { return nil }
        let (clean, other) = withoutSilence(Array(clean[..<count]), Array(other[..<count]))
        let (cleanBands, otherBands) = (bands(clean), bands(other))
        guard cleanBands.count >= stretch else { return nil }
        let limit = 1 + pow(10, -bound / 20)
        var sum = 0.0
        var number = 0
        for end in stretch...cleanBands.count {
            for band in 0..<bandCount {
                let x = (end - stretch..<end).map { cleanBands[$0][band] }
                let y = (end - stretch..<end).map { otherBands[$0][band] }
                let scale = norm(x) / (norm(y) + tiny)
                sum += correlation(x, zip(x, y).map { min($1 * scale, $0 * limit) })
                number += 1
            }
        }
        return sum / Double(number)
    }

    /// Removes the frames in which the clean speech is silent.
    private static func withoutSilence(_ clean: [Double], _ other: [Double]) -> ([Double], [Double]) {
        let starts = Array(stride(from: 0, through: clean.count - frame, by: hop))
        let levels = starts.map { start in
            20 * log10(norm((0..<frame).map { clean[start + $0] * window[$0] }) + tiny)
        }
        guard let loudest = levels.max() else { return ([], []) }
        let kept = zip(starts, levels).filter { $0.1 > loudest - dynamicRange }.map(\.0)
        let length = kept.isEmpty ? 0 : (kept.count - 1) * hop + frame
        var (shortClean, shortOther) = ([Double](repeating: 0, count: length), [Double](repeating: 0, count: length))
        for (index, start) in kept.enumerated() {
            for offset in 0..<frame {
                shortClean[index * hop + offset] += clean[start + offset] * window[offset]
                shortOther[index * hop + offset] += other[start + offset] * window[offset]
            }
        }
        return (shortClean, shortOther)
    }

    /// The loudness of each band in each frame.
    private static func bands(_ samples: [Double]) -> [[Double]] {
        let fourier = Fourier(count: transformCount)
        let edges = bandEdges
        return stride(from: 0, to: samples.count - frame, by: hop).map { start in
            var real = [Double](repeating: 0, count: transformCount)
            var imaginary = real
            for offset in 0..<frame { real[offset] = samples[start + offset] * window[offset] }
            fourier.transform(&real, &imaginary)
            return edges.map { range in
                sqrt(range.reduce(0) { $0 + real[$1] * real[$1] + imaginary[$1] * imaginary[$1] })
            }
        }
    }

    /// Third-octave bands, as ranges of frequency bins.
    private static let bandEdges: [Range<Int>] = (0..<bandCount).map { band in
        func line(_ frequency: Double) -> Int {
            Int((frequency * Double(transformCount) / Double(sampleRate)).rounded(.toNearestOrEven))
        }
        let low = lowestCenter * pow(2, Double(2 * band - 1) / 6)
        let high = lowestCenter * pow(2, Double(2 * band + 1) / 6)
        return line(low)..<line(high)
    }

    private static func norm(_ values: [Double]) -> Double { sqrt(values.reduce(0) { $0 + $1 * $1 }) }

    private static func correlation(_ x: [Double], _ y: [Double]) -> Double {
        let (meanX, meanY) = (x.reduce(0, +) / Double(x.count), y.reduce(0, +) / Double(y.count))
        let (a, b) = (x.map { $0 - meanX }, y.map { $0 - meanY })
        return zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } / ((norm(a) + tiny) * (norm(b) + tiny))
    }
}
