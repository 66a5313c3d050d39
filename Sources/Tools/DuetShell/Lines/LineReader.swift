import Foundation

/// Splits the input of a file descriptor into lines, on a thread of its own, because reading from a terminal or pipe blocks.
package enum LineReader {
    package enum Element: Sendable {
        /// A line without its line break.
        case line([UInt8])
        /// A line longer than ``maximumLineLength``, which was discarded.
        case tooLong
        case end
    }

    /// More than any message that a peer accepts.
    package static let maximumLineLength = 64 << 20

    /// Calls `handle` on the reader's thread for each line, and once at the end.
    package static func start(_ descriptor: Int32, handle: @escaping @Sendable (Element) -> Void) {
        Thread.detachNewThread {
            var splitter = LineSplitter(maximumLineLength: maximumLineLength)
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                splitter.append(buffer[..<count], handle: handle)
            }
            splitter.finish(handle: handle)
            handle(.end)
        }
    }
}

/// Splits bytes at line breaks.
struct LineSplitter {
    let maximumLineLength: Int
    private var line: [UInt8] = []
    private var isSkipping = false

    init(maximumLineLength: Int) {
        self.maximumLineLength = maximumLineLength
    }

    mutating func append(_ bytes: ArraySlice<UInt8>, handle: (LineReader.Element) -> Void) {
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0A) {
            take(rest[..<end])
            finish(handle: handle, isComplete: true)
            rest = rest[(end + 1)...]
        }
        take(rest)
    }

    /// Handles a last line without a line break.
    mutating func finish(handle: (LineReader.Element) -> Void) {
        finish(handle: handle, isComplete: false)
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        if isSkipping { return }
        if line.count + bytes.count > maximumLineLength {
            isSkipping = true
            line = []
        } else {
            line.append(contentsOf: bytes)
        }
    }

    private mutating func finish(handle: (LineReader.Element) -> Void, isComplete: Bool) {
        if isSkipping {
            handle(.tooLong)
        } else if isComplete || !line.isEmpty {
            handle(.line(line))
        }
        isSkipping = false
        line = []
    }
}
