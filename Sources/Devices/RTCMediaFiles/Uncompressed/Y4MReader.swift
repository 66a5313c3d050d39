package import RTCFrames
package import RTCWire

/// Reads video frames from a YUV4MPEG2 file: 4:2:0 with 8 bits, progressive.
package struct Y4MReader: VideoFrameProducer {
    /// The width in pixels.
    package let width: Int
    /// The height in pixels.
    package let height: Int
    /// The frame rate in frames per second; 30 if the file has none.
    package let framesPerSecond: Double
    /// Whether it starts again at the end.
    package var loops: Bool
    private var reader: BufferedReader
    private let pool: Pool
    private var count = 0
    private let headerSize: Int

    /// Belongs to the one value that reads; see `TestPattern`.
    private final class Pool: @unchecked Sendable {
        let pool = I420BufferPool(capacity: 6)
    }

    /// The limit on width and height.
    private static let dimensionLimit = 8_192
    /// The limit on the length of a header line.
    private static let longestLine = 1_024

    /// Opens a file and reads its header.
    ///
    /// - Throws: ``MediaFileError``, or an error of `source`.
    package init(_ source: any ByteSource, loops: Bool = false) throws {
        var reader = BufferedReader(source)
        guard let line = try Self.line(&reader), let first = line.split(separator: " ").first, first == "YUV4MPEG2"
        else {
            throw MediaFileError(.malformed, "this is no Y4M file: it does not begin with YUV4MPEG2")
        }
        var width: Int?
        var height: Int?
        var rate = 30.0
        for word in line.split(separator: " ").dropFirst() {
            let value = word.dropFirst()
            switch word.first {
            case "W": width = Int(value)
            case "H": height = Int(value)
            case "F": rate = Self.rate(value) ?? 30
            case "I":
                guard value == "p" || value == "?" else {
                    throw MediaFileError(
                        .unsupported, "the Y4M file is interlaced (I\(value)); only progressive ones are read")
                }
            case "C":
                guard ["420", "420jpeg", "420mpeg2", "420paldv"].contains(value) else {
                    throw MediaFileError(
                        .unsupported, "the Y4M file has pixels of C\(value); only 4:2:0 with 8 bits is read")
                }
            default: break
            }
        }
        guard let width, let height, (1...Self.dimensionLimit).contains(width),
            (1...Self.dimensionLimit).contains(height)
        else {
            throw MediaFileError(
                .malformed,
                "the Y4M file states no width and height from 1 to \(Self.dimensionLimit): \(line.prefix(80))")
        }
        self.width = width
        self.height = height
        framesPerSecond = rate
        self.loops = loops
        self.reader = reader
        headerSize = line.utf8.count + 1
        pool = Pool()
    }

    /// Returns the next frame.
    ///
    /// - Throws: ``MediaFileError`` if the file ends within a frame, or an error of the source.
    package mutating func nextFrame(at timestamp: Instant) throws -> VideoFrame? {
        guard try beginFrame() else {
            guard loops, count > 0 else { return nil }
            try rewind()
            guard try beginFrame() else { return nil }
            return try readFrame(at: timestamp)
        }
        return try readFrame(at: timestamp)
    }

    /// Returns to the first frame.
    package mutating func rewind() throws {
        try reader.rewind()
        count = 0
        guard try reader.skip(headerSize) else { throw MediaFileError(.unreadable, "the Y4M file has become shorter") }
    }

    /// Reads the line before a frame; `false` at the end of the file.
    private mutating func beginFrame() throws -> Bool {
        guard let line = try Self.line(&reader) else { return false }
        guard line == "FRAME" || line.hasPrefix("FRAME ") else {
            throw MediaFileError(
                .malformed, "where picture \(count + 1) of the Y4M file should begin is something else")
        }
        return true
    }

    private mutating func readFrame(at timestamp: Instant) throws -> VideoFrame {
        let buffer = try pool.pool.makeBuffer(width: width, height: height) { planes in
            for plane in [planes.y, planes.u, planes.v] {
                for row in 0..<plane.height {
                    let target = UnsafeMutableRawBufferPointer(start: plane.row(row), count: plane.width)
                    guard try reader.read(into: target) == plane.width else {
                        throw MediaFileError(.malformed, "the Y4M file ends within picture \(count + 1)")
                    }
                }
            }
        }
        count += 1
        return VideoFrame(buffer: buffer, timestamp: timestamp)
    }

    /// The next line without its end; `nil` at the end of the file.
    private static func line(_ reader: inout BufferedReader) throws -> String? {
        var bytes: [UInt8] = []
        while let byte = try reader.next() {
            if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
            guard bytes.count <= longestLine else {
                throw MediaFileError(.malformed, "this is no Y4M file: a line of it has no end")
            }
        }
        guard bytes.isEmpty else { throw MediaFileError(.malformed, "the Y4M file ends within a line") }
        return nil
    }

    private static func rate(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let numerator = Double(parts[0]), let denominator = Double(parts[1]), denominator > 0
        else {
            return nil
        }
        let rate = numerator / denominator
        return rate >= 0.1 && rate <= 1_000 ? rate : nil
    }
}
