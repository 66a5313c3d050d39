internal import CNIOBoringSSL

/// Passes a text to the library's file functions.
enum MemoryText {
    /// - Returns: The result of `read`; `nil` if the library has no memory.
    static func read(_ text: String, _ read: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        var text = text
        return text.withUTF8 {
            guard let bio = BIO_new_mem_buf($0.baseAddress, Int($0.count)) else { return nil }
            defer { BIO_free(bio) }
            return read(bio)
        }
    }
}
