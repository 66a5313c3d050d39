import RTCFrames

/// Where the planes of a picture in I420 lie in one piece of memory, as GStreamer arranges them by default: rows in
/// multiples of four bytes, and an even number of rows of brightness.
struct I420Layout {
    let width: Int
    let height: Int

    private var chromaWidth: Int { (width + 1) / 2 }
    private var chromaHeight: Int { (height + 1) / 2 }
    private var strideY: Int { (width + 3) & ~3 }
    private var strideUV: Int { (chromaWidth + 3) & ~3 }
    private var offsetU: Int { strideY * chromaHeight * 2 }
    private var offsetV: Int { offsetU + strideUV * chromaHeight }
    /// In bytes.
    var size: Int { offsetV + strideUV * chromaHeight }

    /// - Returns: `nil` when the memory is too small.
    func planes(in bytes: UnsafeRawBufferPointer) -> I420Planes? {
        guard bytes.count >= size, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        return I420Planes(
            y: Plane(base: base, stride: strideY, width: width, height: height),
            u: Plane(base: base + offsetU, stride: strideUV, width: chromaWidth, height: chromaHeight),
            v: Plane(base: base + offsetV, stride: strideUV, width: chromaWidth, height: chromaHeight))
    }

    /// - Returns: `nil` when the memory is too small.
    func mutablePlanes(in bytes: UnsafeMutableRawBufferPointer) -> MutableI420Planes? {
        guard bytes.count >= size, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        return MutableI420Planes(
            y: MutablePlane(base: base, stride: strideY, width: width, height: height),
            u: MutablePlane(base: base + offsetU, stride: strideUV, width: chromaWidth, height: chromaHeight),
            v: MutablePlane(base: base + offsetV, stride: strideUV, width: chromaWidth, height: chromaHeight))
    }
}
