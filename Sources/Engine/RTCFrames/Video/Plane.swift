/// A plane of a frame with one byte per sample, readable during the closure that it is passed to.
public struct Plane {
    public let base: UnsafePointer<UInt8>
    /// The bytes per row, at least ``width``.
    public let stride: Int
    /// The number of samples per row.
    public let width: Int
    /// The number of rows.
    public let height: Int

    @usableFromInline package init(base: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int) {
        self.base = base
        self.stride = stride
        self.width = width
        self.height = height
    }

    /// Returns the samples of row `y`, which is in `0 ..< height`.
    public func row(_ y: Int) -> UnsafePointer<UInt8> { base + y * stride }

    /// The part of the plane that is `width` samples wide and `height` rows high, from `x`, `y`.
    func part(x: Int, y: Int, width: Int, height: Int) -> Plane {
        Plane(base: base + y * stride + x, stride: stride, width: width, height: height)
    }
}

/// A plane that is writable during the closure that it is passed to.
public struct MutablePlane {
    public let base: UnsafeMutablePointer<UInt8>
    /// The bytes per row, at least ``width``.
    public let stride: Int
    /// The number of samples per row.
    public let width: Int
    /// The number of rows.
    public let height: Int

    @usableFromInline package init(base: UnsafeMutablePointer<UInt8>, stride: Int, width: Int, height: Int) {
        self.base = base
        self.stride = stride
        self.width = width
        self.height = height
    }

    /// Returns the samples of row `y`, which is in `0 ..< height`.
    public func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { base + y * stride }

    /// Copies the samples of `source` that are within both planes.
    @usableFromInline package func copy(_ source: Plane) {
        let width = min(self.width, source.width)
        let height = min(self.height, source.height)
        guard width > 0 else { return }
        if stride == source.stride, width == stride {
            base.update(from: source.base, count: width * height)
            return
        }
        for y in 0..<max(0, height) { row(y).update(from: source.row(y), count: width) }
    }

    /// Sets every sample to `value`.
    @usableFromInline package func fill(_ value: UInt8) {
        for y in 0..<height { row(y).update(repeating: value, count: width) }
    }

    var readable: Plane { Plane(base: base, stride: stride, width: width, height: height) }
}

/// The three planes of a frame in I420: luma, and two chroma planes with half as many columns and rows, rounded up.
/// Samples are in video range (BT.601 or BT.709, luma 16 to 235).
public struct I420Planes {
    public let y: Plane
    public let u: Plane
    public let v: Plane

    @usableFromInline package init(y: Plane, u: Plane, v: Plane) {
        self.y = y
        self.u = u
        self.v = v
    }

    public var width: Int { y.width }
    public var height: Int { y.height }

    /// The part within `crop`, whose corner is moved to even coordinates, so that chroma stays aligned.
    func cropped(to crop: PixelRectangle) -> I420Planes {
        let crop = crop.clamped(width: width, height: height)
        let chroma = (width: (crop.width + 1) / 2, height: (crop.height + 1) / 2)
        return I420Planes(
            y: y.part(x: crop.x, y: crop.y, width: crop.width, height: crop.height),
            u: u.part(x: crop.x / 2, y: crop.y / 2, width: chroma.width, height: chroma.height),
            v: v.part(x: crop.x / 2, y: crop.y / 2, width: chroma.width, height: chroma.height))
    }
}

/// The three writable planes of a new frame in I420.
public struct MutableI420Planes {
    public let y: MutablePlane
    public let u: MutablePlane
    public let v: MutablePlane

    @usableFromInline package init(y: MutablePlane, u: MutablePlane, v: MutablePlane) {
        self.y = y
        self.u = u
        self.v = v
    }

    public var width: Int { y.width }
    public var height: Int { y.height }

    @usableFromInline package func copy(_ source: I420Planes) {
        y.copy(source.y)
        u.copy(source.u)
        v.copy(source.v)
    }
}

/// A part of a frame, in pixels from its upper left corner.
package struct PixelRectangle: Sendable, Hashable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Returns the largest centred part of a frame of `width` by `height` with the aspect ratio of `shape`.
    package static func middle(of width: Int, by height: Int, shapedLike shape: (width: Int, height: Int)) -> Self {
        guard shape.width > 0, shape.height > 0 else { return Self(x: 0, y: 0, width: width, height: height) }
        let wide = width * shape.height > height * shape.width
        let newWidth = wide ? max(1, height * shape.width / shape.height) : width
        let newHeight = wide ? height : max(1, width * shape.height / shape.width)
        return Self(x: (width - newWidth) / 2, y: (height - newHeight) / 2, width: newWidth, height: newHeight)
    }

    /// The part within a frame of `width` by `height`, at least one pixel, with its corner at even coordinates.
    func clamped(width: Int, height: Int) -> Self {
        let left = min(max(0, x), width - 1) & ~1
        let top = min(max(0, y), height - 1) & ~1
        return Self(
            x: left, y: top, width: min(max(1, self.width), width - left),
            height: min(max(1, self.height), height - top))
    }
}
