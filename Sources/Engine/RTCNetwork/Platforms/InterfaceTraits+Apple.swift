#if canImport(Darwin)
    internal import Darwin
    internal import RTCWire
    internal import Synchronization

    /// Information missing from the interface list. Address flags need an ioctl with a structure that is not available
    /// in Swift, so temporary addresses count as stable ones here.
    struct InterfaceTraits {
        static let up = Int(IFF_UP)
        static let loopback = Int(IFF_LOOPBACK)
        static let pointToPoint = Int(IFF_POINTOPOINT)
        static let running = Int(IFF_RUNNING)

        struct AddressFlags {
            var isTemporary = false
            var isDeprecated = false
        }

        /// The kinds reported by the path monitor: `en0` may be Wi-Fi or wired.
        private static let learnt = Mutex<[String: NetworkInterface.Kind]>([:])

        private let kinds: [String: NetworkInterface.Kind]

        static func read() -> InterfaceTraits {
            InterfaceTraits(kinds: learnt.withLock { $0 })
        }

        static func learn(_ interfaces: [(name: String, kind: NetworkInterface.Kind?)]) {
            learnt.withLock { learnt in
                for (name, kind) in interfaces { learnt[name] = kind }
            }
        }

        func addressFlags(of ip: IPAddress, on interface: String) -> AddressFlags { AddressFlags() }

        func kind(of name: String) -> NetworkInterface.Kind? { kinds[name] }
    }
#endif
