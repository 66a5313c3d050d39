/// Scales planes: exact halves by the mean of four samples, as often as possible, and the rest by linear interpolation.
struct PlaneScaler {
    private var columns: [Column] = []
    private var blended: [UInt8] = []
    private var halves: [UInt8] = []

    /// The position of a sample between two others in a row: `near * (256 - weight) + (near + 1) * weight`.
    private struct Column {
        var near: Int32
        var weight: Int32
    }

    mutating func scale(_ source: Plane, to target: MutablePlane) {
        if source.width == target.width, source.height == target.height {
            target.copy(source)
        } else if source.width >= 2 * target.width, source.height >= 2 * target.height, source.width >= 2,
            source.height >= 2
        {
            halve(source, towards: target)
        } else {
            interpolate(source, to: target)
        }
    }

    private mutating func halve(_ source: Plane, towards target: MutablePlane) {
        let width = source.width / 2
        let height = source.height / 2
        if width == target.width, height == target.height {
            Self.average(source, to: target)
            return
        }
        var halves = self.halves
        self.halves = []
        if halves.count < width * height { halves = [UInt8](repeating: 0, count: width * height) }
        halves.withUnsafeMutableBufferPointer { memory in
            guard let base = memory.baseAddress else { return }
            let half = MutablePlane(base: base, stride: width, width: width, height: height)
            Self.average(source, to: half)
            scale(half.readable, to: target)
        }
        self.halves = halves
    }

    private static func average(_ source: Plane, to target: MutablePlane) {
        let width = target.width
        for y in 0..<target.height {
            let upper = source.row(2 * y)
            let lower = source.row(2 * y + 1)
            let output = target.row(y)
            for x in 0..<width {
                let sum =
                    UInt16(upper[2 * x]) &+ UInt16(upper[2 * x + 1]) &+ UInt16(lower[2 * x]) &+ UInt16(lower[2 * x + 1])
                output[x] = UInt8(truncatingIfNeeded: (sum &+ 2) &>> 2)
            }
        }
    }

    private mutating func interpolate(_ source: Plane, to target: MutablePlane) {
        columns.removeAll(keepingCapacity: true)
        columns.reserveCapacity(target.width)
        for x in 0..<target.width {
            let (near, weight) = Self.position(x, source: source.width, target: target.width)
            columns.append(Column(near: Int32(near), weight: weight))
        }
        // One extra sample, so that the last column has a neighbour too.
        if blended.count < source.width + 1 { blended = [UInt8](repeating: 0, count: source.width + 1) }
        blended.withUnsafeMutableBufferPointer { blended in
            columns.withUnsafeBufferPointer { columns in
                for y in 0..<target.height {
                    let (near, weight) = Self.position(y, source: source.height, target: target.height)
                    let upper = source.row(near)
                    let lower = source.row(min(near + 1, source.height - 1))
                    let low = UInt16(weight)
                    let high = 256 - low
                    for x in 0..<source.width {
                        let sum = UInt16(upper[x]) &* high &+ UInt16(lower[x]) &* low
                        blended[x] = UInt8(truncatingIfNeeded: (sum &+ 127) &>> 8)
                    }
                    blended[source.width] = blended[source.width - 1]
                    let output = target.row(y)
                    for x in 0..<target.width {
                        let column = columns[x]
                        let left = Int32(blended[Int(column.near)])
                        let right = Int32(blended[Int(column.near) + 1])
                        output[x] = UInt8(
                            truncatingIfNeeded: (left &* 256 &+ (right &- left) &* column.weight &+ 128) &>> 8)
                    }
                }
            }
        }
    }

    /// The centre of sample `index` of `target` samples, relative to the centres of `source` samples.
    private static func position(_ index: Int, source: Int, target: Int) -> (near: Int, weight: Int32) {
        let position = max(0, ((2 * index + 1) * source * 256 / target - 256) / 2)
        let near = min(position >> 8, source - 1)
        return (near, near == source - 1 ? 0 : Int32(position & 255))
    }
}
