#if canImport(Darwin)
    internal import Darwin

    // Differences between the C libraries.

    extension addrinfo {
        static var datagramSocketType: CInt { SOCK_DGRAM }
    }
#endif
