package import RTCWire

extension SimulatedNetwork {
    /// A host of a network.
    public struct HostID: Hashable, Sendable {
        let index: Int
    }

    /// One address of a host, with its two links.
    public struct InterfaceID: Hashable, Sendable {
        let index: Int
        let firstLink: Int

        /// From the host into the network.
        public var uplink: LinkID { LinkID(index: firstLink) }
        /// From the network to the host.
        public var downlink: LinkID { LinkID(index: firstLink + 1) }
    }

    /// A gateway, with its two links on the outside.
    public struct GatewayID: Hashable, Sendable {
        let index: Int
        let firstLink: Int

        /// From the gateway to the outside.
        public var uplink: LinkID { LinkID(index: firstLink) }
        /// From the outside to the gateway.
        public var downlink: LinkID { LinkID(index: firstLink + 1) }

        var realm: Int { index + 1 }
    }

    /// One direction of a link.
    public struct LinkID: Hashable, Sendable {
        let index: Int
    }

    /// A datagram that has reached a host.
    package struct Delivery: Sendable {
        package let host: HostID
        /// When it arrived.
        package let time: Instant
        /// When it was sent.
        package let sent: Instant
        /// The sender as the receiver sees it, behind all NATs.
        package let source: TransportAddress
        /// The address of the host's that it arrived at.
        package let destination: TransportAddress
        package let payload: [UInt8]
    }

    /// The counters of a network's datagrams. Losses on links are in ``LinkStatistics``.
    package struct NetworkStatistics: Sendable, Hashable {
        /// Handed in by hosts.
        package var sent = 0
        /// Handed to hosts, with duplicates.
        package var delivered = 0
        /// Dropped for lack of a way: no such address, or not one of the sender's.
        package var unroutable = 0
        /// Dropped by the filter of a NAT.
        package var filteredByNAT = 0
        /// Dropped by a NAT that has no port left.
        package var portsExhausted = 0
        /// Dropped by a firewall.
        package var filteredByFirewall = 0
        /// Dropped by a NAT that does not hairpin.
        package var refusedHairpins = 0
        /// Dropped between addresses that are blocked.
        package var blocked = 0
        /// Dropped after too many gateways.
        package var tooManyHops = 0
        /// Requests that STUN servers have answered.
        package var stunAnswers = 0

        package init() {}
    }

    struct Packet: Sendable {
        var source: TransportAddress
        var destination: TransportAddress
        var sent: Instant
        var hops: UInt8
        var payload: [UInt8]
    }

    struct Arrival: Sendable {
        var slot: Int32
        var host: Int32
        var time: Instant
    }

    struct Host: Sendable {
        var interfaces: [Int] = []
        /// The port of its STUN server, if it has one.
        var stunPort: UInt16?
    }

    struct Interface: Sendable {
        let host: Int
        let realm: Int
        let address: IPAddress
        let uplink: Int
    }

    struct Realm: Sendable {
        enum Route: Sendable {
            case interface(Int)
            case gateway(Int)
        }

        var routes: [IPAddress: Route] = [:]
        /// The gateway to the outer realm; `nil` for the internet.
        var gateway: Int?
    }

    struct AddressPair: Hashable, Sendable {
        var from: IPAddress
        var to: IPAddress
    }
}
