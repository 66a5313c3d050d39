/// A picture in I420, in memory of its own.
///
/// It is filled once, by the closure that makes it, and only read after that: that is what lets threads share it.
public final class I420Buffer: VideoFrameBuffer, @unchecked Sendable {
    public let width: Int
    public let height: Int
    /// Bytes from one row to the next of the plane of brightness.
    public let strideY: Int
    /// Bytes from one row to the next of each plane of colour.
    public let strideUV: Int
    private let memory: UnsafeMutableRawPointer
    /// Whose the memory is; `nil` if it is this buffer's own.
    private let owner: AnyObject?

    /// The widest and the highest picture that there is room for.
    public static let dimensionLimit = 16_384
    /// Whether a picture may have this size.
    public static func isValid(width: Int, height: Int) -> Bool {
        (1...dimensionLimit).contains(width) && (1...dimensionLimit).contains(height)
    }

    /// A black picture.
    ///
    /// - Precondition: Width and height are in 1 to ``dimensionLimit``; ask ``isValid(width:height:)`` about a size that
    ///   comes from outside.
    public init(width: Int, height: Int) {
        precondition(Self.isValid(width: width, height: height), "a picture cannot be \(width) by \(height)")
        self.width = width
        self.height = height
        // Rows begin at multiples of 64 bytes, where vector instructions like them.
        strideY = (width + 63) & ~63
        strideUV = ((width + 1) / 2 + 63) & ~63
        let sizeY = strideY * height
        let sizeUV = strideUV * ((height + 1) / 2)
        memory = UnsafeMutableRawPointer.allocate(byteCount: sizeY + 2 * sizeUV, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 16, count: sizeY)
        (memory + sizeY).initializeMemory(as: UInt8.self, repeating: 128, count: 2 * sizeUV)
        owner = nil
    }

    /// A picture that is in memory already, and is not copied: of a camera, or of a library.
    ///
    /// - Parameters:
    ///   - memory: The three planes, one behind the other: `strideY * height` bytes, and twice `strideUV * ((height + 1) / 2)`.
    ///     Nobody writes to it any more.
    ///   - owner: Keeps the memory for as long as it lives.
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

    /// A picture that `fill` draws, on black.
    public convenience init(
        width: Int, height: Int, fill: (MutableI420Planes) throws -> Void
    ) rethrows {
        self.init(width: width, height: height)
        try fill(mutablePlanes)
    }

    deinit { if owner == nil { memory.deallocate() } }

    /// Gives `body` the planes to read; their addresses are not valid after it.
    public func withPlanes<Result>(_ body: (I420Planes) throws -> Result) rethrows -> Result {
        let planes = mutablePlanes
        return try body(I420Planes(y: planes.y.readable, u: planes.u.readable, v: planes.v.readable))
    }

    public func i420(from pool: I420BufferPool) -> I420Buffer? { self }

    /// Only for the one who holds the sole reference: a new buffer, or one that a pool finds free.
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

/// Makes pictures, and uses the memory of those again that nobody holds any more, so that a stream of pictures of one
/// size allocates nothing once it runs. Its owner uses it from one thread at a time; the pictures go anywhere.
public final class I420BufferPool {
    private var buffers: [I420Buffer] = []
    private var next = 0
    private let capacity: Int
    var scaler = PlaneScaler()
    /// How many pictures needed memory of their own so far.
    public private(set) var allocations = 0

    /// - Parameter capacity: How many pictures it keeps. If more are held elsewhere at the same time, further ones are
    ///   allocated and given up.
    public init(capacity: Int = 16) {
        self.capacity = max(1, capacity)
    }

    /// A picture that `fill` writes. What it leaves out is what an earlier picture left there.
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
            // Nobody else can take a reference while ours is the only one.
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
