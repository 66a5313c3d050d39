internal import NIOCore
internal import RTCNetwork
internal import RTCWire

// Conversions of our addresses to the system's, and to and from NIO's. None allocates, except for the one to a NIO address.
// RTCNetwork has those from the system's.

extension TransportAddress {
    /// Converts from the NIO format; `nil` for a path in the file system.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): self.init(address.address)
        case .v6(let address): self.init(address.address)
        default: return nil
        }
    }

    /// The local address to which a descriptor is bound.
    static func local(of descriptor: CInt) -> TransportAddress? {
        let (result, address) = written { getsockname(descriptor, $0, &$1) }
        return result == 0 ? address : nil
    }

    /// The local address, with any port, from which the system would send to `remote`; `nil` without a route. Sends
    /// nothing.
    static func source(toward remote: TransportAddress) -> TransportAddress? {
        let descriptor = DatagramSystemCalls.openDatagramSocket(isIPv6: remote.ip.isIPv6)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        guard remote.withSocketAddress({ connect(descriptor, $0, $1) }) == 0 else { return nil }
        return local(of: descriptor)
    }

    /// Lets `body` write an address in the system's format, on the stack, and converts it.
    ///
    /// - Parameter body: Takes memory for any address, and its size, which it sets to that of the address.
    /// - Returns: The result of `body`, and the address, which is valid only if `body` succeeded.
    @inline(__always)
    static func written<Result>(
        by body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Result
    ) -> (result: Result, address: TransportAddress?) {
        var storage = sockaddr_storage()
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                let result = body(address, &length)
                return (result, TransportAddress(address, length: Int(length)))
            }
        }
    }

    /// Calls `body` with the address in the system's format, on the stack.
    @inline(__always)
    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if let bits = ip.v4Bits {
            var address = sockaddr_in(v4Bits: bits, port: port)
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var address = sockaddr_in6(ip, port: port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}

extension SocketAddress {
    /// Converts to the NIO format, for connections that NIO makes. Allocates.
    init(_ address: TransportAddress) {
        if let bits = address.ip.v4Bits {
            self.init(sockaddr_in(v4Bits: bits, port: address.port))
        } else {
            self.init(sockaddr_in6(address.ip, port: address.port))
        }
    }
}

extension sockaddr_in {
    fileprivate init(v4Bits: UInt32, port: UInt16) {
        self.init()
        setLength()
        sin_family = sa_family_t(AF_INET)
        sin_port = port.bigEndian
        sin_addr.s_addr = v4Bits.bigEndian
    }
}

extension sockaddr_in6 {
    fileprivate init(_ ip: IPAddress, port: UInt16) {
        self.init()
        setLength()
        sin6_family = sa_family_t(AF_INET6)
        sin6_port = port.bigEndian
        sin6_scope_id = ip.zone
        let halves = ip.v6Halves ?? (0, 0)
        withUnsafeMutableBytes(of: &sin6_addr) {
            $0.storeBytes(of: halves.high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: halves.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
    }
}

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

extension IPAddress {
    /// The address to use for a server, among those of a connection: the system's choice if it is one of them, else
    /// another one that may work.
    static func source(toward remote: TransportAddress, among hosts: [IPAddress]) -> IPAddress? {
        let usable = hosts.filter {
            $0.isIPv4 == remote.ip.isIPv4 && (remote.ip.isLoopback || !$0.isLoopback)
                && (remote.ip.isLinkLocal || !$0.isLinkLocal)
        }
        let chosen = TransportAddress.source(toward: remote)?.ip
        return usable.first { $0 == chosen || $0.isUnspecified } ?? usable.first
    }

    /// The same for UDP, which uses the sockets of the host candidates.
    static func datagramSource(toward remote: TransportAddress, among hosts: [IPAddress]) -> IPAddress? {
        source(toward: remote, among: hosts.filter { $0.mayAskServer(at: remote.ip) })
    }
}
