#if canImport(Glibc)
    internal import Glibc

    // Differences between the C libraries.

    extension sockaddr_in {
        /// Linux addresses have no length field.
        mutating func setLength() {}
    }

    extension sockaddr_in6 {
        mutating func setLength() {}
    }

    extension addrinfo {
        static var streamSocketType: CInt { CInt(SOCK_STREAM.rawValue) }
    }
#endif
