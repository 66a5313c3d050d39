import RTCDevices

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

enum RecordingFile {
    /// Creates or empties the file, so that an unwritable path is detected at once.
    ///
    /// - Throws: ``DeviceError`` `unwritable`.
    static func empty(_ path: String) throws(DeviceError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw DeviceError(.unwritable, "cannot create \(path): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
    }
}
