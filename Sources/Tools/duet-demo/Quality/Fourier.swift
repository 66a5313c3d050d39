import Foundation

/// The discrete Fourier transform of complex numbers, of a length that is a power of two.
struct Fourier {
    let count: Int
    private let cosines: [Double]
    private let sines: [Double]

    /// - Precondition: `count` is a power of two.
    init(count: Int) {
        precondition(count > 0 && count & (count - 1) == 0)
        self.count = count
        cosines = (0..<max(1, count / 2)).map { cos(2 * .pi * Double($0) / Double(count)) }
        sines = (0..<max(1, count / 2)).map { -sin(2 * .pi * Double($0) / Double(count)) }
    }

    /// Transforms in place. For the inverse, exchange the two arguments, and divide by count.
    func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
        precondition(real.count == count && imaginary.count == count)
        reorder(&real, &imaginary)
        real.withUnsafeMutableBufferPointer { real in
            imaginary.withUnsafeMutableBufferPointer { imaginary in
                var size = 2
                while size <= count {
                    let (half, step) = (size / 2, count / size)
                    for start in stride(from: 0, to: count, by: size) {
                        for index in 0..<half {
                            let (c, s) = (cosines[index * step], sines[index * step])
                            let (low, high) = (start + index, start + index + half)
                            let turnedReal = real[high] * c - imaginary[high] * s
                            let turnedImaginary = real[high] * s + imaginary[high] * c
                            real[high] = real[low] - turnedReal
                            imaginary[high] = imaginary[low] - turnedImaginary
                            real[low] += turnedReal
                            imaginary[low] += turnedImaginary
                        }
                    }
                    size *= 2
                }
            }
        }
    }

    private func reorder(_ real: inout [Double], _ imaginary: inout [Double]) {
        var other = 0
        for index in 1..<max(1, count) {
            var bit = count >> 1
            while other & bit != 0 {
                other ^= bit
                bit >>= 1
            }
            other |= bit
            if index < other {
                real.swapAt(index, other)
                imaginary.swapAt(index, other)
            }
        }
    }
}
