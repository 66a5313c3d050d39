internal import NIOCore

/// The files of a page in buffers that all responses share.
struct PageBuffers {
    private var files: [String: ByteBuffer] = [:]

    /// - Parameter target: The request's target.
    mutating func buffer(of file: StaticPage.File, at target: String) -> ByteBuffer {
        let path = StaticPage.path(of: target)
        if let buffer = files[path] { return buffer }
        let buffer = ByteBuffer(bytes: file.body)
        files[path] = buffer
        return buffer
    }
}
