#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads a file. `/dev/stdin` and pipes work, but cannot be rewound.
package final class FileSource: ByteSource, @unchecked Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens a file.
    ///
    /// - Throws: ``MediaFileError`` `unreadable`.
    package init(path: String) throws(MediaFileError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        guard descriptor >= 0 else { throw MediaFileError(.unreadable, "cannot open \(path): \(reason())") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = systemRead(descriptor, buffer)
            if count >= 0 { return count }
            guard errno == EINTR else { throw MediaFileError(.unreadable, "cannot read \(path): \(reason())") }
        }
    }

    package func rewind() throws {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw MediaFileError(.unreadable, "cannot begin again with \(path): \(reason())")
        }
    }
}

/// Writes a file, which is created or emptied first.
package final class FileSink: ByteSink, @unchecked Sendable {
    private let descriptor: Int32
    private let path: String

    /// Creates a file.
    ///
    /// - Throws: ``MediaFileError`` `unwritable`.
    package init(path: String) throws(MediaFileError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        self.path = path
        guard descriptor >= 0 else { throw MediaFileError(.unwritable, "cannot create \(path): \(reason())") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = systemWrite(descriptor, rest)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno != EINTR {
                throw MediaFileError(.unwritable, "cannot write \(path): \(reason())")
            }
        }
    }

    package func overwrite(at offset: Int, with bytes: UnsafeRawBufferPointer) throws -> Bool {
        guard lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset) else { return false }
        defer { lseek(descriptor, 0, SEEK_END) }
        try write(bytes)
        return true
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

private func reason() -> String { String(cString: strerror(errno)) }
