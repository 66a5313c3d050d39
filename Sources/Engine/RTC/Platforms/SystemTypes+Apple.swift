#if canImport(Darwin)
    internal import Darwin

    // What the C libraries spell differently.

    extension sockaddr_in {
        mutating func setLength() { sin_len = UInt8(MemoryLayout<sockaddr_in>.size) }
    }

    extension sockaddr_in6 {
        mutating func setLength() { sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size) }
    }

    extension addrinfo {
        static var streamSocketType: CInt { SOCK_STREAM }
        static var datagramSocketType: CInt { SOCK_DGRAM }
    }

    /// Creates or empties a file that its owner alone can read.
    ///
    /// - Returns: The descriptor, or -1 with `errno` set.
    func createPrivateFile(_ path: String) -> CInt {
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    }
#endif
