import RTCMediaFiles

/// A file in memory.
final class MemoryFile: ByteSource, ByteSink, @unchecked Sendable {
    private(set) var bytes: [UInt8]
    private var position = 0
    private let longestRead: Int

    /// Creates a file.
    ///
    /// - Parameter longestRead: The maximum number of bytes per read, to imitate a pipe.
    init(_ bytes: [UInt8] = [], longestRead: Int = .max) {
        self.bytes = bytes
        self.longestRead = max(1, longestRead)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = min(buffer.count, bytes.count - position, longestRead)
        guard count > 0 else { return 0 }
        buffer.copyBytes(from: bytes[position..<position + count])
        position += count
        return count
    }

    func rewind() throws { position = 0 }

    func write(_ bytes: UnsafeRawBufferPointer) throws { self.bytes += bytes }

    func overwrite(at offset: Int, with bytes: UnsafeRawBufferPointer) throws -> Bool {
        guard offset >= 0, bytes.count <= self.bytes.count, offset <= self.bytes.count - bytes.count else {
            return false
        }
        self.bytes.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return true
    }
}
