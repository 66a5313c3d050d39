package import RTCFrames

/// The layout of the planes of an I420 picture in one block of memory.
package struct I420Layout: Equatable {
    /// The rows of one plane, in bytes.
    struct Rows: Equatable {
        /// The offset of the first row.
        var offset: Int
        /// The distance from one row to the next.
        var stride: Int
    }

    let width: Int
    let height: Int
    private(set) var y: Rows
    private(set) var u: Rows
    private(set) var v: Rows

    private var chromaWidth: Int { (width + 1) / 2 }
    private var chromaHeight: Int { (height + 1) / 2 }

    /// GStreamer's default layout: rows padded to multiples of four bytes, and an even number of luma rows.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
        let strideY = (width + 3) & ~3
        let strideUV = ((width + 1) / 2 + 3) & ~3
        let chromaHeight = (height + 1) / 2
        y = Rows(offset: 0, stride: strideY)
        u = Rows(offset: strideY * chromaHeight * 2, stride: strideUV)
        v = Rows(offset: u.offset + strideUV * chromaHeight, stride: strideUV)
    }

    /// The layout that the buffer itself describes: some cameras pad their rows.
    ///
    /// For a single block that holds all planes, PipeWire knows only one stride. The others follow from it, as in the
    /// kernel's layout.
    ///
    /// - Returns: `nil` for an impossible layout.
    init?(width: Int, height: Int, y: Rows, u: Rows, v: Rows) {
        self.init(width: width, height: height)
        let possible = 0..<(1 << 30)
        guard y.stride >= width, possible.contains(y.stride), possible.contains(y.offset) else { return nil }
        self.y = y
        let end = y.offset + y.stride * height
        if u.stride >= chromaWidth, v.stride >= chromaWidth, possible.contains(u.stride), possible.contains(v.stride),
            u.offset >= end, v.offset >= u.offset + u.stride * (chromaHeight - 1) + chromaWidth,
            possible.contains(v.offset)
        {
            (self.u, self.v) = (u, v)
        } else {
            let stride = y.stride / 2
            guard stride >= chromaWidth else { return nil }
            self.u = Rows(offset: end, stride: stride)
            self.v = Rows(offset: end + stride * chromaHeight, stride: stride)
        }
    }

    /// In bytes.
    package var size: Int {
        max(
            y.offset + y.stride * (height - 1) + width, u.offset + u.stride * chromaHeight,
            v.offset + v.stride * chromaHeight)
    }

    /// Whether the planes follow one another as in an ``I420Buffer``.
    var isPacked: Bool {
        u.offset == y.offset + y.stride * height && v.offset == u.offset + u.stride * chromaHeight
            && u.stride == v.stride
    }

    /// - Returns: `nil` when the memory is too small.
    package func planes(in bytes: UnsafeRawBufferPointer) -> I420Planes? {
        guard bytes.count >= size, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        return I420Planes(
            y: Plane(base: base + y.offset, stride: y.stride, width: width, height: height),
            u: Plane(base: base + u.offset, stride: u.stride, width: chromaWidth, height: chromaHeight),
            v: Plane(base: base + v.offset, stride: v.stride, width: chromaWidth, height: chromaHeight))
    }

    /// - Returns: `nil` when the memory is too small.
    package func mutablePlanes(in bytes: UnsafeMutableRawBufferPointer) -> MutableI420Planes? {
        guard bytes.count >= size, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        return MutableI420Planes(
            y: MutablePlane(base: base + y.offset, stride: y.stride, width: width, height: height),
            u: MutablePlane(base: base + u.offset, stride: u.stride, width: chromaWidth, height: chromaHeight),
            v: MutablePlane(base: base + v.offset, stride: v.stride, width: chromaWidth, height: chromaHeight))
    }
}
