internal import RTCWire

/// The addresses at which other machines of the network reach this one.
package enum NearbyAddresses {
    /// The current addresses: IPv4 on wired and wireless networks, most promising first, at most three.
    package static func current() -> [String] { addresses(of: InterfaceTable.readAddresses()) }

    static func addresses(of all: [InterfaceAddress]) -> [String] {
        let near = HostAddressRules().select(from: all).filter { candidate in
            candidate.ip.isIPv4 && !candidate.ip.isLoopback && !candidate.ip.isLinkLocal
                && [.wired, .wifi, .unknown].contains(candidate.interface.kind)
        }
        return near.prefix(3).map(\.ip.description)
    }
}
