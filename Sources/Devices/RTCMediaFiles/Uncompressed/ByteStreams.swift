/// Reads the bytes of a file. Used from one thread at a time.
package protocol ByteSource: AnyObject, Sendable {
    /// Reads bytes that are available and fit into `buffer`, and returns their number; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// Returns to the first byte. Throws for a pipe.
    func rewind() throws
}

/// Writes the bytes of a file. Used from one thread at a time.
package protocol ByteSink: AnyObject, Sendable {
    func write(_ bytes: UnsafeRawBufferPointer) throws
    /// Replaces bytes at `offset`. Returns false for a pipe.
    func overwrite(at offset: Int, with bytes: UnsafeRawBufferPointer) throws -> Bool
}

/// An error of a media file, in one sentence.
package struct MediaFileError: Error, Sendable, Hashable, CustomStringConvertible {
    package struct Code: Sendable, Hashable {
        private enum Value { case unreadable, unwritable, malformed, unsupported }
        private let value: Value

        /// The file cannot be opened or read.
        package static let unreadable = Code(value: .unreadable)
        /// The file cannot be created or written.
        package static let unwritable = Code(value: .unwritable)
        /// The file is malformed, or of another format.
        package static let malformed = Code(value: .malformed)
        /// The format is not supported.
        package static let unsupported = Code(value: .unsupported)
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

/// Reads a source in large chunks and returns small ones.
struct BufferedReader {
    let source: any ByteSource
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var position = 0
    private var end = 0

    init(_ source: any ByteSource) {
        self.source = source
    }

    /// The next byte, or `nil` at the end.
    mutating func next() throws -> UInt8? {
        guard try fill() else { return nil }
        position += 1
        return buffer[position - 1]
    }

    /// Fills `target`. Returns the number of bytes, which is smaller only at the end.
    mutating func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
        var done = 0
        while done < target.count, try fill() {
            let count = min(end - position, target.count - done)
            buffer.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: target[done..<done + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
            }
            position += count
            done += count
        }
        return done
    }

    /// Returns `count` bytes, or fewer at the end.
    mutating func read(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, try fill() {
            let taken = min(end - position, count - bytes.count)
            bytes += buffer[position..<position + taken]
            position += taken
        }
        return bytes
    }

    /// Skips bytes; `false` when there are fewer.
    mutating func skip(_ count: Int) throws -> Bool {
        var left = count
        while left > 0, try fill() {
            let taken = min(end - position, left)
            position += taken
            left -= taken
        }
        return left == 0
    }

    mutating func rewind() throws {
        try source.rewind()
        position = 0
        end = 0
    }

    private mutating func fill() throws -> Bool {
        if position < end { return true }
        position = 0
        end = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
        return end > 0
    }
}
