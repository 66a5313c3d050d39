#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The similarity of received frames to sent ones, in luma.
package struct PictureQuality: Sendable, Equatable {
    /// The number of compared frames.
    package private(set) var count = 0
    /// The sum of squared differences, and the number of samples.
    private var error = 0.0
    private var samples = 0
    private var similarity = 0.0

    package init() {}

    /// The PSNR of all frames together, in decibels: from the mean squared error, against 255. `nil` without frames, infinite if
    /// they are equal.
    package var psnr: Double? {
        guard samples > 0 else { return nil }
        return error > 0 ? 10 * log10(255 * 255 * Double(samples) / error) : .infinity
    }

    /// The mean SSIM of the frames, up to 1.
    package var ssim: Double? { count > 0 ? similarity / Double(count) : nil }

    /// Compares two planes of the same size.
    ///
    /// - Parameter skipping: The number of rows at the top that are ignored.
    package mutating func add(_ sent: Plane, _ received: Plane, skipping: Int = 0) {
        guard sent.width == received.width, sent.height == received.height, sent.height - skipping >= 8,
            sent.width >= 8
        else { return }
        let rows = skipping..<sent.height
        error += Self.squaredError(sent, received, rows)
        samples += sent.width * rows.count
        similarity += Self.similarity(sent, received, rows)
        count += 1
    }

    private static func squaredError(_ first: Plane, _ second: Plane, _ rows: Range<Int>) -> Double {
        var sum = 0.0
        for y in rows {
            let (left, right) = (first.row(y), second.row(y))
            var line = 0
            for x in 0..<first.width {
                let difference = Int(left[x]) - Int(right[x])
                line += difference * difference
            }
            sum += Double(line)
        }
        return sum
    }

    /// SSIM (Wang, Bovik, Sheikh and Simoncelli, 2004) over windows of 8 × 8 samples at intervals of four, with equal weights:
    /// the variant of x264 and FFmpeg's filter.
    private static func similarity(_ first: Plane, _ second: Plane, _ rows: Range<Int>) -> Double {
        let (columns, lines) = (first.width / 4, rows.count / 4)
        var above = [BlockSums](repeating: BlockSums(), count: columns)
        var current = above
        var sum = 0.0
        for line in 0..<lines {
            swap(&above, &current)
            for column in 0..<columns {
                current[column] = BlockSums(first, second, x: column * 4, y: rows.lowerBound + line * 4)
            }
            guard line > 0 else { continue }
            for column in 1..<columns {
                sum += (above[column - 1] + above[column] + current[column - 1] + current[column]).similarity
            }
        }
        return sum / Double((columns - 1) * (lines - 1))
    }

    /// Sums over 4 × 4 samples of each plane.
    private struct BlockSums {
        var first = 0
        var second = 0
        var squares = 0
        var products = 0

        init() {}

        init(_ left: Plane, _ right: Plane, x: Int, y: Int) {
            for line in y..<y + 4 {
                let (a, b) = (left.row(line) + x, right.row(line) + x)
                for index in 0..<4 {
                    let (u, v) = (Int(a[index]), Int(b[index]))
                    first += u
                    second += v
                    squares += u * u + v * v
                    products += u * v
                }
            }
        }

        static func + (one: BlockSums, other: BlockSums) -> BlockSums {
            var sum = one
            sum.first += other.first
            sum.second += other.second
            sum.squares += other.squares
            sum.products += other.products
            return sum
        }

        /// The SSIM of a window of 64 samples.
        var similarity: Double {
            let count = 64.0
            // The constants of that variant; the first is smaller than the paper's by the number of samples.
            let c1 = 0.01 * 0.01 * 255 * 255 * count
            let c2 = 0.03 * 0.03 * 255 * 255 * count * (count - 1)
            let (a, b) = (Double(first), Double(second))
            let variances = Double(squares) * count - a * a - b * b
            let covariance = Double(products) * count - a * b
            return (2 * a * b + c1) * (2 * covariance + c2)
                / ((a * a + b * b + c1) * (variances + c2))
        }
    }
}
