internal import RTCFrames

/// A video frame buffer in I420: one luma plane, and two chroma planes with half as many columns and rows, rounded up.
/// Samples are in video range (luma 16 to 235).
public final class RTCI420Buffer: RTCVideoFrameBuffer, EngineFrameBuffer {
    let picture: I420Buffer

    init(_ picture: I420Buffer) {
        self.picture = picture
    }

    /// Creates a buffer with a copy of three planes.
    ///
    /// - Parameters:
    ///   - width: The width in pixels, 1 to 16,384.
    ///   - height: The height in pixels, 1 to 16,384.
    ///   - dataY: The luma plane, row by row.
    ///   - strideY: The bytes per row of `dataY`, at least `width`.
    ///   - dataU: The blue-difference chroma plane (Cb).
    ///   - strideU: The bytes per row of `dataU`, at least half of `width`, rounded up.
    ///   - dataV: The red-difference chroma plane (Cr).
    ///   - strideV: The bytes per row of `dataV`, as for `strideU`.
    /// - Returns: `nil` if a size is out of range, or a plane is too short for it.
    public convenience init?(
        width: Int32, height: Int32, dataY: UnsafeRawBufferPointer, strideY: Int32, dataU: UnsafeRawBufferPointer,
        strideU: Int32, dataV: UnsafeRawBufferPointer, strideV: Int32
    ) {
        let (width, height) = (Int(width), Int(height))
        guard I420Buffer.isValid(width: width, height: height) else { return nil }
        let half = (width: (width + 1) / 2, height: (height + 1) / 2)
        guard let y = Plane(dataY, stride: Int(strideY), width: width, height: height),
            let u = Plane(dataU, stride: Int(strideU), width: half.width, height: half.height),
            let v = Plane(dataV, stride: Int(strideV), width: half.width, height: half.height)
        else { return nil }
        self.init(I420Buffer(width: width, height: height) { $0.copy(I420Planes(y: y, u: u, v: v)) })
    }

    /// Creates a buffer with a copy of three planes without padding between their rows.
    ///
    /// - Returns: `nil` if a size is out of range, or a plane is too short for it.
    public convenience init?(width: Int32, height: Int32, y: [UInt8], u: [UInt8], v: [UInt8]) {
        let half = width / 2 + width % 2
        let made = y.withUnsafeBytes { y in
            u.withUnsafeBytes { u in
                v.withUnsafeBytes { v in
                    RTCI420Buffer(
                        width: width, height: height, dataY: y, strideY: width, dataU: u, strideU: half, dataV: v,
                        strideV: half)
                }
            }
        }
        guard let made else { return nil }
        self.init(made.picture)
    }

    /// The width in pixels.
    public var width: Int32 { Int32(picture.width) }
    /// The height in pixels.
    public var height: Int32 { Int32(picture.height) }
    /// The bytes per row of the luma plane.
    public var strideY: Int32 { Int32(picture.strideY) }
    /// The bytes per row of the Cb plane.
    public var strideU: Int32 { Int32(picture.strideUV) }
    /// The bytes per row of the Cr plane.
    public var strideV: Int32 { Int32(picture.strideUV) }

    /// Calls `body` with read access to the three planes, whose rows are ``strideY``, ``strideU`` and ``strideV`` bytes
    /// apart. The pointers are not valid afterwards.
    public func withPlanes<Result>(
        _ body: (
            _ y: UnsafeBufferPointer<UInt8>, _ u: UnsafeBufferPointer<UInt8>, _ v: UnsafeBufferPointer<UInt8>
        ) throws -> Result
    ) rethrows -> Result {
        try picture.withPlanes { try body($0.y.bytes, $0.u.bytes, $0.v.bytes) }
    }

    public func toI420() -> RTCI420Buffer? { self }

    var engineBuffer: (any VideoFrameBuffer)? { picture }
}

extension Plane {
    /// - Returns: `nil` if there are too few bytes.
    fileprivate init?(_ bytes: UnsafeRawBufferPointer, stride: Int, width: Int, height: Int) {
        guard stride >= width, let base = bytes.baseAddress, bytes.count >= stride * (height - 1) + width else {
            return nil
        }
        self.init(base: base.assumingMemoryBound(to: UInt8.self), stride: stride, width: width, height: height)
    }

    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base, count: stride * (height - 1) + width)
    }
}
