package import RTCWire

// Conversions of the system's addresses to ours. None allocates.

extension TransportAddress {
    /// Converts from the system's format; `nil` for a family other than IPv4 and IPv6, or a truncated address.
    package init?(_ address: UnsafePointer<sockaddr>, length: Int) {
        let raw = UnsafeRawPointer(address)
        guard length >= MemoryLayout<sockaddr>.size else { return nil }
        switch CInt(address.pointee.sa_family) {
        case AF_INET:
            guard length >= MemoryLayout<sockaddr_in>.size else { return nil }
            self.init(raw.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6:
            guard length >= MemoryLayout<sockaddr_in6>.size else { return nil }
            self.init(raw.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
    }

    package init(_ address: sockaddr_in) {
        self.init(
            ip: IPAddress(v4: UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
    }

    package init(_ address: sockaddr_in6) {
        let (high, low) = withUnsafeBytes(of: address.sin6_addr) {
            (
                $0.loadUnaligned(as: UInt64.self).bigEndian,
                $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
            )
        }
        // A zone is relevant for link-local addresses only; elsewhere it would make equal addresses differ.
        let isLinkLocal = high >> 54 == 0x3FA
        self.init(
            ip: IPAddress(v6High: high, low: low, zone: isLinkLocal ? address.sin6_scope_id : 0),
            port: UInt16(bigEndian: address.sin6_port))
    }
}

#if canImport(Darwin)
    package import Darwin
#else
    package import Glibc
#endif
