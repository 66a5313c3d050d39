internal import RTCFrames

/// A picture in I420 in memory of its own: brightness, and two planes of colour with half as many columns and rows,
/// rounded up. Values are those of television (brightness 16 to 235).
public final class RTCI420Buffer: RTCVideoFrameBuffer, EngineFrameBuffer {
    let picture: I420Buffer

    init(_ picture: I420Buffer) {
        self.picture = picture
    }

    /// Copies three planes.
    ///
    /// - Parameters:
    ///   - width: In pixels, 1 to 16,384.
    ///   - height: In pixels, 1 to 16,384.
    ///   - dataY: How bright it is, row by row.
    ///   - strideY: Bytes from one row of `dataY` to the next, at least `width`.
    ///   - dataU: How blue it is, in half as many rows and columns.
    ///   - strideU: Bytes from one row of `dataU` to the next, at least half of `width`, rounded up.
    ///   - dataV: How red it is, as `dataU`.
    ///   - strideV: As `strideU`.
    /// - Returns: `nil` when a size is out of bounds, or a plane is too short for it.
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

    /// Copies three planes without gaps between their rows.
    ///
    /// - Returns: `nil` when a size is out of bounds, or a plane is too short for it.
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

    /// In pixels.
    public var width: Int32 { Int32(picture.width) }
    /// In pixels.
    public var height: Int32 { Int32(picture.height) }
    /// Bytes from one row of brightness to the next.
    public var strideY: Int32 { Int32(picture.strideY) }
    /// Bytes from one row of a plane of colour to the next.
    public var strideU: Int32 { Int32(picture.strideUV) }
    /// Bytes from one row of a plane of colour to the next.
    public var strideV: Int32 { Int32(picture.strideUV) }

    /// Gives `body` the planes to read, rows ``strideY``, ``strideU`` and ``strideV`` bytes apart. Their addresses are
    /// not valid after it.
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
    /// - Returns: `nil` when the bytes do not suffice.
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
