#if canImport(Glibc)
    internal import Glibc

    // Differences between the C libraries.

    extension addrinfo {
        static var datagramSocketType: CInt { CInt(SOCK_DGRAM.rawValue) }
    }
#endif
