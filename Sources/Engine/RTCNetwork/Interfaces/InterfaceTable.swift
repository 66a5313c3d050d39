package import NIOCore
internal import RTCWire
internal import Synchronization

/// The addresses of this machine's interfaces.
package enum InterfaceTable {
    private struct Cache {
        var addresses: [InterfaceAddress]
        var readAt: NIODeadline
    }

    private static let cache = Mutex<Cache?>(nil)

    /// The addresses, at most `maximumAge` old.
    ///
    /// A query takes a tenth of a millisecond, and longer on a machine with many interfaces. Peers set up in quick
    /// succession share one result, and an ``InterfaceMonitor`` renews it at each change.
    package static func addresses(maximumAge: TimeAmount = .seconds(1)) -> [InterfaceAddress] {
        let now = NIODeadline.now()
        if let cached = cache.withLock({ $0 }), now - cached.readAt < maximumAge { return cached.addresses }
        return readAddresses()
    }

    /// The addresses as of now.
    @discardableResult
    package static func readAddresses() -> [InterfaceAddress] {
        let readAt = NIODeadline.now()
        let addresses = enumerate()
        cache.withLock { $0 = Cache(addresses: addresses, readAt: readAt) }
        return addresses
    }

    private static func enumerate() -> [InterfaceAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }

        let traits = InterfaceTraits.read()
        var interfaces: [String: NetworkInterface] = [:]
        var addresses: [InterfaceAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, let ip = Self.ip(address) else { continue }
            let name = String(cString: entry.ifa_name)
            let interface =
                interfaces[name] ?? Self.interface(name: name, flags: entry.ifa_flags, traits: traits)
            interfaces[name] = interface
            let flags = traits.addressFlags(of: ip, on: name)
            addresses.append(
                InterfaceAddress(
                    interface: interface, ip: ip, isTemporary: flags.isTemporary, isDeprecated: flags.isDeprecated))
        }
        return addresses
    }

    private static func ip(_ address: UnsafePointer<sockaddr>) -> IPAddress? {
        switch CInt(address.pointee.sa_family) {
        case AF_INET: TransportAddress(address, length: MemoryLayout<sockaddr_in>.size)?.ip
        case AF_INET6: TransportAddress(address, length: MemoryLayout<sockaddr_in6>.size)?.ip
        default: nil
        }
    }

    private static func interface(name: String, flags: UInt32, traits: InterfaceTraits) -> NetworkInterface {
        let wanted = UInt32(truncatingIfNeeded: InterfaceTraits.up | InterfaceTraits.running)
        let isLoopback = flags & UInt32(truncatingIfNeeded: InterfaceTraits.loopback) != 0
        let isPointToPoint = flags & UInt32(truncatingIfNeeded: InterfaceTraits.pointToPoint) != 0
        return NetworkInterface(
            name: name, index: if_nametoindex(name),
            kind: traits.kind(of: name)
                ?? NetworkInterface.Kind(name: name, isLoopback: isLoopback, isPointToPoint: isPointToPoint),
            isUp: flags & wanted == wanted)
    }
}

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif
