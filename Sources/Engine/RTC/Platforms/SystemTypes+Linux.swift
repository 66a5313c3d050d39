#if canImport(Glibc)
    internal import Glibc

    // What the C libraries spell differently.

    extension sockaddr_in {
        /// Linux's addresses carry no length of their own.
        mutating func setLength() {}
    }

    extension sockaddr_in6 {
        mutating func setLength() {}
    }

    extension addrinfo {
        static var streamSocketType: CInt { CInt(SOCK_STREAM.rawValue) }
        static var datagramSocketType: CInt { CInt(SOCK_DGRAM.rawValue) }
    }

    /// Creates or empties a file that its owner alone can read.
    ///
    /// - Returns: The descriptor, or -1 with `errno` set.
    func createPrivateFile(_ path: String) -> CInt {
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    }
#endif
