#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Opens a file for what its owner alone is to see, to be written at its end; makes it if there is none.
///
/// What is there already has to be an ordinary file of the user's, and not a link to one. Others cannot read it from then on.
///
/// - Parameter what: What the file is for, in an error's words.
/// - Returns: The descriptor.
/// - Throws: `invalidArgument` if it cannot be written, or is something else.
func openPrivateFile(_ path: String, as what: String) throws(RTCError) -> CInt {
    // A pipe without a reader would hold up whoever opens it.
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
