/// A video frame buffer in I420.
///
/// It is written once, by the closure of its initializer, and only read afterwards, so that threads can share it.
public final class I420Buffer: VideoFrameBuffer, @unchecked Sendable {
    public let width: Int
    public let height: Int
    /// The bytes per row of the luma plane.
    public let strideY: Int
    /// The bytes per row of each chroma plane.
    public let strideUV: Int
    private let memory: UnsafeMutableRawPointer
    /// The owner of the memory; `nil` if it is this buffer's own.
    private let owner: AnyObject?

    /// The maximum width and height.
    @usableFromInline package static let dimensionLimit = 16_384
    /// Returns whether a frame may have this size.
    public static func isValid(width: Int, height: Int) -> Bool {
        (1...dimensionLimit).contains(width) && (1...dimensionLimit).contains(height)
    }

    /// Creates a black frame.
    ///
    /// - Precondition: Width and height are in 1 to ``dimensionLimit``. Check sizes from outside with
    ///   ``isValid(width:height:)``.
    public init(width: Int, height: Int) {
        precondition(Self.isValid(width: width, height: height), "a picture cannot be \(width) by \(height)")
        self.width = width
        self.height = height
        // Rows are aligned to 64 bytes for vector instructions.
        strideY = (width + 63) & ~63
        strideUV = ((width + 1) / 2 + 63) & ~63
        let sizeY = strideY * height
        let sizeUV = strideUV * ((height + 1) / 2)
        memory = UnsafeMutableRawPointer.allocate(byteCount: sizeY + 2 * sizeUV, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 16, count: sizeY)
        (memory + sizeY).initializeMemory(as: UInt8.self, repeating: 128, count: 2 * sizeUV)
        owner = nil
    }

    /// Wraps a frame in existing memory without a copy, for instance of a camera or a library.
    ///
    /// - Parameters:
    ///   - memory: The three planes, back to back: `strideY * height` bytes, and twice `strideUV * ((height + 1) / 2)`.
    ///     Must not be written to any more.
    ///   - owner: Keeps the memory alive.
    /// - Precondition: As for ``init(width:height:)``; the strides are no less than the widths.
    package init(
        width: Int, height: Int, strideY: Int, strideUV: Int, memory: UnsafeMutableRawPointer, owner: AnyObject
    ) {
        precondition(Self.isValid(width: width, height: height), "a picture cannot be \(width) by \(height)")
        precondition(strideY >= width && strideUV >= (width + 1) / 2, "rows would overlap")
        self.width = width
        self.height = height
        self.strideY = strideY
        self.strideUV = strideUV
        self.memory = memory
        self.owner = owner
    }

    /// Creates a black frame and draws on it with `fill`.
    public convenience init(
        width: Int, height: Int, fill: (MutableI420Planes) throws -> Void
    ) rethrows {
        self.init(width: width, height: height)
        try fill(mutablePlanes)
    }

    deinit { if owner == nil { memory.deallocate() } }

    /// Calls `body` with read access to the planes. The pointers are not valid afterwards.
    public func withPlanes<Result>(_ body: (I420Planes) throws -> Result) rethrows -> Result {
        let planes = mutablePlanes
        return try body(I420Planes(y: planes.y.readable, u: planes.u.readable, v: planes.v.readable))
    }

    public func i420(from pool: I420BufferPool) -> I420Buffer? { self }

    /// Only for the holder of the sole reference: of a new buffer, or a free one in a pool.
    var mutablePlanes: MutableI420Planes {
        let base = memory.assumingMemoryBound(to: UInt8.self)
        let u = base + strideY * height
        let v = u + strideUV * chromaHeight
        return MutableI420Planes(
            y: MutablePlane(base: base, stride: strideY, width: width, height: height),
            u: MutablePlane(base: u, stride: strideUV, width: chromaWidth, height: chromaHeight),
            v: MutablePlane(base: v, stride: strideUV, width: chromaWidth, height: chromaHeight))
    }

    private var chromaWidth: Int { (width + 1) / 2 }
    private var chromaHeight: Int { (height + 1) / 2 }
}

/// Allocates buffers, and reuses the memory of released ones, so that a stream of frames of one size allocates nothing
/// once it runs. The pool is used from one thread at a time; the buffers may be used anywhere.
public final class I420BufferPool {
    private var buffers: [I420Buffer] = []
    private var next = 0
    private let capacity: Int
    var scaler = PlaneScaler()
    /// The number of allocations so far.
    package private(set) var allocations = 0

    /// Creates a pool.
    ///
    /// - Parameter capacity: The maximum number of buffers to reuse. Further ones are allocated and freed.
    public init(capacity: Int = 16) {
        self.capacity = max(1, capacity)
    }

    /// Returns a buffer that `fill` writes. Pixels that it does not write are undefined.
    ///
    /// - Precondition: As for ``I420Buffer/init(width:height:)``.
    public func makeBuffer(
        width: Int, height: Int, fill: (MutableI420Planes) throws -> Void
    ) rethrows -> I420Buffer {
        let buffer = freeBuffer(width: width, height: height)
        try fill(buffer.mutablePlanes)
        return buffer
    }

    private func freeBuffer(width: Int, height: Int) -> I420Buffer {
        for _ in 0..<buffers.count {
            next = next + 1 < buffers.count ? next + 1 : 0
            // No other reference can appear while ours is the only one.
            guard isKnownUniquelyReferenced(&buffers[next]) else { continue }
            if buffers[next].width != width || buffers[next].height != height {
                buffers[next] = allocate(width: width, height: height)
            }
            return buffers[next]
        }
        let buffer = allocate(width: width, height: height)
        if buffers.count < capacity { buffers.append(buffer) }
        return buffer
    }

    private func allocate(width: Int, height: Int) -> I420Buffer {
        allocations += 1
        return I420Buffer(width: width, height: height)
    }
}
