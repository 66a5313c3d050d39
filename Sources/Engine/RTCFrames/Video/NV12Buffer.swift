/// The two planes of a frame in NV12: luma, and interleaved chroma.
@usableFromInline package struct NV12Planes {
    @usableFromInline package let y: Plane
    /// The interleaved chroma plane (Cb, Cr), with two bytes per chroma sample.
    @usableFromInline package let uv: Plane

    @usableFromInline package init(y: Plane, uv: Plane) {
        self.y = y
        self.uv = uv
    }

    /// Converts the frame to I420, into `target` of the same size.
    @usableFromInline package func convert(to target: MutableI420Planes) {
        target.y.copy(y)
        let width = min(target.u.width, uv.width / 2)
        for row in 0..<min(target.u.height, uv.height) {
            let source = uv.row(row)
            let u = target.u.row(row)
            let v = target.v.row(row)
            for x in 0..<width {
                u[x] = source[2 * x]
                v[x] = source[2 * x + 1]
            }
        }
    }
}

/// The two writable planes of a new frame in NV12.
@usableFromInline package struct MutableNV12Planes {
    @usableFromInline package let y: MutablePlane
    /// The interleaved chroma plane (Cb, Cr), with two bytes per chroma sample.
    @usableFromInline package let uv: MutablePlane

    @usableFromInline package init(y: MutablePlane, uv: MutablePlane) {
        self.y = y
        self.uv = uv
    }

    /// Converts a frame in I420 of the same size into these planes.
    @usableFromInline package func convert(from source: I420Planes) {
        y.copy(source.y)
        let width = min(source.u.width, uv.width / 2)
        for row in 0..<min(source.u.height, uv.height) {
            let target = uv.row(row)
            let u = source.u.row(row)
            let v = source.v.row(row)
            for x in 0..<width {
                target[2 * x] = u[x]
                target[2 * x + 1] = v[x]
            }
        }
    }
}

/// A video frame buffer in NV12, as cameras and video hardware use it. Written once, and only read afterwards.
@usableFromInline package final class NV12Buffer: VideoFrameBuffer, @unchecked Sendable {
    @usableFromInline package let width: Int
    @usableFromInline package let height: Int
    /// The bytes per row of either plane.
    @usableFromInline package let stride: Int
    private let memory: UnsafeMutableRawPointer

    /// Creates a black frame and draws on it with `fill`.
    ///
    /// - Precondition: As for ``I420Buffer/init(width:height:)``.
    @usableFromInline package init(width: Int, height: Int, fill: (MutableNV12Planes) throws -> Void) rethrows {
        precondition(I420Buffer.isValid(width: width, height: height), "a picture cannot be \(width) by \(height)")
        self.width = width
        self.height = height
        stride = (width + 63) & ~63
        let sizeY = stride * height
        let sizeUV = stride * ((height + 1) / 2)
        memory = UnsafeMutableRawPointer.allocate(byteCount: sizeY + sizeUV, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 16, count: sizeY)
        (memory + sizeY).initializeMemory(as: UInt8.self, repeating: 128, count: sizeUV)
        try fill(mutablePlanes)
    }

    deinit { memory.deallocate() }

    /// Calls `body` with read access to the planes. The pointers are not valid afterwards.
    @usableFromInline package func withPlanes<Result>(_ body: (NV12Planes) throws -> Result) rethrows -> Result {
        let planes = mutablePlanes
        return try body(NV12Planes(y: planes.y.readable, uv: planes.uv.readable))
    }

    @usableFromInline package func i420(from pool: I420BufferPool) -> I420Buffer? {
        pool.makeBuffer(width: width, height: height) { target in
            withPlanes { $0.convert(to: target) }
        }
    }

    private var mutablePlanes: MutableNV12Planes {
        let base = memory.assumingMemoryBound(to: UInt8.self)
        return MutableNV12Planes(
            y: MutablePlane(base: base, stride: stride, width: width, height: height),
            uv: MutablePlane(
                base: base + stride * height, stride: stride, width: (width + 1) / 2 * 2, height: (height + 1) / 2))
    }
}
