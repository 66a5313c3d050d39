package import RTCWire

extension I420Buffer {
    /// Returns the frame, or a part of it, scaled to another size, in a buffer of `pool`.
    ///
    /// - Parameter crop: The part; by default the whole frame. Its corner is moved to even coordinates, and it is
    ///   clipped to the frame.
    /// - Precondition: Width and height are in 1 to ``dimensionLimit``.
    package func scaled(
        width: Int, height: Int, crop: PixelRectangle? = nil, pool: I420BufferPool
    ) -> I420Buffer {
        withPlanes { planes in
            let source = crop.map { planes.cropped(to: $0) } ?? planes
            return pool.makeBuffer(width: width, height: height) { target in
                pool.scaler.scale(source.y, to: target.y)
                pool.scaler.scale(source.u, to: target.u)
                pool.scaler.scale(source.v, to: target.v)
            }
        }
    }

    /// Returns the frame rotated clockwise, in a buffer of `pool`.
    package func rotated(_ rotation: VideoRotation, pool: I420BufferPool) -> I420Buffer {
        if rotation == .none { return self }
        let isUpright = rotation == .clockwise180
        return withPlanes { source in
            pool.makeBuffer(width: isUpright ? width : height, height: isUpright ? height : width) { target in
                Self.turn(source.y, rotation, to: target.y)
                Self.turn(source.u, rotation, to: target.u)
                Self.turn(source.v, rotation, to: target.v)
            }
        }
    }

    private static func turn(_ source: Plane, _ rotation: VideoRotation, to target: MutablePlane) {
        for y in 0..<target.height {
            let output = target.row(y)
            switch rotation {
            case .none: output.update(from: source.row(y), count: target.width)
            case .clockwise90:
                for x in 0..<target.width { output[x] = source.row(source.height - 1 - x)[y] }
            case .clockwise180:
                let input = source.row(source.height - 1 - y)
                for x in 0..<target.width { output[x] = input[source.width - 1 - x] }
            case .clockwise270:
                for x in 0..<target.width { output[x] = source.row(x)[source.width - 1 - y] }
            }
        }
    }
}
