#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Opens a file readable only by its owner, for appending; creates it if there is none.
///
/// An existing file must be a regular file of the user, not a link. Others lose access to it.
///
/// - Parameter what: The purpose of the file, for error messages.
/// - Returns: The descriptor.
/// - Throws: `invalidArgument` if it cannot be written, or is not a regular file.
func openPrivateFile(_ path: String, as what: String) throws(RTCError) -> CInt {
    // Non-blocking, because opening a pipe without a reader would block.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    let isOther: Bool
    if descriptor < 0 {
        isOther = errno == ELOOP || errno == ENXIO
    } else {
        var status = stat()
        let isOurs =
            fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
        if isOurs, fchmod(descriptor, 0o600) == 0 { return descriptor }
        isOther = !isOurs
    }
    let reason = isOther ? "it is no ordinary file of yours" : String(cString: strerror(errno))
    if descriptor >= 0 { _ = close(descriptor) }
    throw RTCError(code: .invalidArgument, message: "The \(what) \(path) cannot be written: \(reason).")
}

/// Writes all of the bytes.
///
/// - Returns: `false` on failure, such as a full disk.
func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
    bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
