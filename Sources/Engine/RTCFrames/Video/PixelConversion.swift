/// Conversions of pixels that are neither I420 nor NV12 in video range.
enum PixelConversion {
    /// Converts BGRA to I420 by BT.601. A chroma sample is the mean of up to four pixels.
    static func bgra(_ source: Plane, to target: MutableI420Planes) {
        let width = min(source.width / 4, target.width)
        let height = min(source.height, target.height)
        for y in 0..<height {
            let input = source.row(y)
            let output = target.y.row(y)
            for x in 0..<width {
                let b = Int32(input[4 * x]), g = Int32(input[4 * x + 1]), r = Int32(input[4 * x + 2])
                output[x] = UInt8(truncatingIfNeeded: (66 * r + 129 * g + 25 * b + 4_224) >> 8)
            }
        }
        for y in 0..<(height + 1) / 2 {
            let upper = source.row(2 * y)
            let lower = source.row(min(2 * y + 1, height - 1))
            let u = target.u.row(y)
            let v = target.v.row(y)
            for x in 0..<(width + 1) / 2 {
                let left = 8 * x
                let right = 4 * min(2 * x + 1, width - 1)
                func mean(_ channel: Int) -> Int32 {
                    let upperSum = Int32(upper[left + channel]) + Int32(upper[right + channel])
                    let lowerSum = Int32(lower[left + channel]) + Int32(lower[right + channel])
                    return (upperSum + lowerSum + 2) >> 2
                }
                let b = mean(0), g = mean(1), r = mean(2)
                u[x] = UInt8(truncatingIfNeeded: (-38 * r - 74 * g + 112 * b + 32_896) >> 8)
                v[x] = UInt8(truncatingIfNeeded: (112 * r - 94 * g - 18 * b + 32_896) >> 8)
            }
        }
    }

    /// Converts full range (0 to 255), which some cameras deliver, to video range: luma 16 to 235, chroma 16 to 240.
    static func narrowRange(_ planes: MutableI420Planes) {
        narrow(planes.y, scale: 219, offset: 16 * 255 + 127)
        narrow(planes.u, scale: 224, offset: 16 * 255 + 127)
        narrow(planes.v, scale: 224, offset: 16 * 255 + 127)
    }

    private static func narrow(_ plane: MutablePlane, scale: UInt32, offset: UInt32) {
        for y in 0..<plane.height {
            let row = plane.row(y)
            for x in 0..<plane.width {
                row[x] = UInt8(truncatingIfNeeded: (UInt32(row[x]) &* scale &+ offset) / 255)
            }
        }
    }
}
