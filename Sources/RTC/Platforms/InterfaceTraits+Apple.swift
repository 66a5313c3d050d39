#if canImport(Darwin)
    internal import Darwin
    internal import RTCWire

    /// What the list of interfaces does not tell. On Apple's systems names are telling (`en`, `pdp_ip`, `utun`), and
    /// address flags need an ioctl with a structure that Swift does not see: temporary addresses count as stable ones.
    struct InterfaceTraits {
        static let up = Int(IFF_UP)
        static let loopback = Int(IFF_LOOPBACK)
        static let pointToPoint = Int(IFF_POINTOPOINT)
        static let running = Int(IFF_RUNNING)

        struct AddressFlags {
            var isTemporary = false
            var isDeprecated = false
        }

        static func read() -> InterfaceTraits { InterfaceTraits() }

        func addressFlags(of ip: IPAddress, on interface: String) -> AddressFlags { AddressFlags() }

        func kind(of name: String) -> NetworkInterface.Kind? { nil }
    }
#endif
