package import RTCWire

/// One address of one network interface.
package struct InterfaceAddress: Hashable, Sendable {
    package let interface: NetworkInterface
    package let ip: IPAddress
    /// A temporary IPv6 address of the privacy extensions (RFC 8981), intended for outgoing traffic.
    package var isTemporary = false
    /// An IPv6 address that is deprecated (RFC 4862, section 5.5.4), still reachable but not for new connections, or
    /// that has not passed duplicate address detection.
    package var isDeprecated = false
}

/// A network interface of this machine.
package struct NetworkInterface: Hashable, Sendable {
    /// The system's name, such as `eth0` or `en0`.
    package let name: String
    /// The interface index, which is also the zone of its link-local addresses.
    package let index: UInt32
    package let kind: Kind
    /// Administratively up and with a carrier.
    package let isUp: Bool

    /// The kind of interface, best first: ICE prefers candidates of earlier kinds.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case wired
        case wifi
        case cellular
        case vpn
        case loopback
        case unknown
    }
}

extension NetworkInterface.Kind {
    /// Guesses the kind from the name, by the conventions of Linux and Apple's systems.
    init(name: String, isLoopback: Bool, isPointToPoint: Bool) {
        func begins(_ prefixes: String...) -> Bool { prefixes.contains { name.hasPrefix($0) } }
        if isLoopback {
            self = .loopback
        } else if begins("tun", "tap", "wg", "utun", "ipsec", "ppp", "tailscale", "zt", "nordlynx") {
            self = .vpn
        } else if begins("pdp_ip", "rmnet", "wwan", "wwp", "ccmni") {
            self = .cellular
        } else if begins("wl", "awdl", "llw", "ath", "ra") {
            self = .wifi
        } else if begins("eth", "en", "em", "br", "veth", "bond", "vlan") {
            self = .wired
        } else {
            self = isPointToPoint ? .vpn : .unknown
        }
    }
}
