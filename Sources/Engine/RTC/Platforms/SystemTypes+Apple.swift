#if canImport(Darwin)
    internal import Darwin

    // Differences between the C libraries.

    extension sockaddr_in {
        mutating func setLength() { sin_len = UInt8(MemoryLayout<sockaddr_in>.size) }
    }

    extension sockaddr_in6 {
        mutating func setLength() { sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size) }
    }

    extension addrinfo {
        static var streamSocketType: CInt { SOCK_STREAM }
    }
#endif
