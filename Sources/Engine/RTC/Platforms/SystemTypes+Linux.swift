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
#endif
