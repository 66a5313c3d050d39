package import RTCFrames

/// Writes video frames, rotated upright, into a YUV4MPEG2 file.
///
/// A file has the size of its first frame: later ones of another size are scaled.
package struct Y4MWriter: Sendable {
    private let sink: any ByteSink
    private let framesPerSecond: Int
    private var size: (width: Int, height: Int)?
    private var bytes: [UInt8] = []
    private let pool: Pool
    /// The number of written frames.
    package private(set) var count = 0

    /// Belongs to the one value that writes; see `TestPattern`.
    private final class Pool: @unchecked Sendable {
        let pool = I420BufferPool(capacity: 3)
    }

    /// Creates a writer.
    ///
    /// - Parameter framesPerSecond: The frame rate in the header. Every frame is written once, whatever its timestamp.
    package init(_ sink: any ByteSink, framesPerSecond: Int = 30) {
        self.sink = sink
        self.framesPerSecond = max(1, framesPerSecond)
        pool = Pool()
    }

    /// Writes a frame.
    ///
    /// - Throws: ``MediaFileError`` if a frame cannot be converted, or an error of the sink.
    package mutating func write(_ frame: VideoFrame) throws {
        guard let source = frame.buffer.i420(from: pool.pool) else {
            throw MediaFileError(.unsupported, "the picture's pixels have a form that cannot be converted")
        }
        var picture = source.rotated(frame.rotation, pool: pool.pool)
        bytes.removeAll(keepingCapacity: true)
        if let size {
            if size != (picture.width, picture.height) {
                picture = picture.scaled(width: size.width, height: size.height, pool: pool.pool)
            }
        } else {
            size = (picture.width, picture.height)
            bytes += "YUV4MPEG2 W\(picture.width) H\(picture.height) F\(framesPerSecond):1 Ip A1:1 C420jpeg\n".utf8
        }
        bytes += "FRAME\n".utf8
        picture.withPlanes { planes in
            for plane in [planes.y, planes.u, planes.v] {
                for row in 0..<plane.height {
                    bytes += UnsafeBufferPointer(start: plane.row(row), count: plane.width)
                }
            }
        }
        try bytes.withUnsafeBytes { try sink.write($0) }
        count += 1
    }
}
