import RTCFrames
import RTCWire
import Testing

/// The peak signal-to-noise ratio of the brightness of two pictures of one size, in decibels; 100 for equal ones.
func signalToNoise(_ left: I420Buffer, _ right: I420Buffer) -> Double {
    left.withPlanes { left in
        right.withPlanes { right in
            var sum = 0
            for y in 0..<left.height {
                for x in 0..<left.width {
                    let difference = Int(left.y.row(y)[x]) - Int(right.y.row(y)[x])
                    sum += difference * difference
                }
            }
            return decibels(ratio: 255 * 255 * Double(left.width * left.height), to: Double(sum))
        }
    }
}

/// Ten times the decimal logarithm of `power / noise`, in steps of a tenth; at most 100.
func decibels(ratio power: Double, to noise: Double) -> Double {
    guard noise > 0 else { return 100 }
    var ratio = power / noise
    var result = 0.0
    while ratio > 1, result < 100 {
        ratio /= 1.023_292_992_280_754
        result += 0.1
    }
    return result
}

extension TestPattern {
    /// The next picture, which there has to be.
    mutating func drawn(at timestamp: Instant) throws -> VideoFrame {
        let frame = nextFrame(at: timestamp)
        return try #require(frame)
    }
}

extension Tone {
    /// The next samples, which there have to be.
    mutating func played(_ samplesPerChannel: Int) throws -> AudioFrame {
        let frame = nextFrame(samplesPerChannel: samplesPerChannel, at: .zero)
        return try #require(frame)
    }
}
