#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Replaces files that only their owner may read.
package enum PrivateFile {
    /// Replaces a file as a whole: it is the former one or the new one at each moment, also if the machine fails.
    ///
    /// Others may not read any of it at any time, whatever the process's umask is. A symbolic link is replaced, not followed.
    ///
    /// - Parameter path: The file, beside which there is a draft in the meantime. Its folder exists.
    /// - Returns: Whether it was written. Otherwise the former file stays.
    package static func replace(_ path: String, with bytes: [UInt8]) -> Bool {
        let draft = "\(path).draft"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        let isWritten = fill(file, with: bytes)
        close(file)
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            return false
        }
        return true
    }

    private static func fill(_ file: CInt, with bytes: [UInt8]) -> Bool {
        guard fchmod(file, 0o600) == 0 else { return false }
        var written = 0
        while written < bytes.count {
            let more = bytes.withUnsafeBytes {
                pwrite(file, $0.baseAddress.map { $0 + written }, $0.count - written, off_t(written))
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return false }
            written += more
        }
        return fsync(file) == 0
    }
}
