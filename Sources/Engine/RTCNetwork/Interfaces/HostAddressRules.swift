package import RTCWire

/// Selects the local addresses that become host candidates.
///
/// Follows RFC 8445, section 5.1.1.1, and RFC 8421: no loopback, link-local, IPv4-mapped or site-local addresses;
/// temporary IPv6 addresses in place of an interface's stable ones, so that a candidate does not identify the device.
/// Beyond the RFCs: interfaces for direct links to nearby devices (`awdl`, `llw`) are excluded, and a machine without
/// any other address, such as a test in a fresh network namespace, uses link-local and loopback ones.
package struct HostAddressRules: Sendable {
    /// Whether to include loopback addresses, for peers on the same machine.
    package var includesLoopback: Bool
    /// Whether to include link-local addresses.
    package var includesLinkLocal: Bool
    /// Returns whether an interface may be used.
    package var allowsInterface: @Sendable (NetworkInterface) -> Bool
    /// Returns whether an address may be used.
    package var allowsAddress: @Sendable (IPAddress) -> Bool
    /// An address to use exclusively, regardless of the other rules. If unspecified, the system chooses the interface
    /// for each datagram.
    package var boundAddress: IPAddress?
    /// The most addresses; more could not be checked in good time (RFC 8421, section 4 asks for a limit).
    package var maximumCount: Int

    package init(
        includesLoopback: Bool = false, includesLinkLocal: Bool = false,
        allowsInterface: @escaping @Sendable (NetworkInterface) -> Bool = { _ in true },
        allowsAddress: @escaping @Sendable (IPAddress) -> Bool = { _ in true }, boundAddress: IPAddress? = nil,
        maximumCount: Int = 16
    ) {
        self.includesLoopback = includesLoopback
        self.includesLinkLocal = includesLinkLocal
        self.allowsInterface = allowsInterface
        self.allowsAddress = allowsAddress
        self.boundAddress = boundAddress
        self.maximumCount = maximumCount
    }

    /// The addresses to bind sockets to, the most promising first.
    package func select(from all: [InterfaceAddress]) -> [InterfaceAddress] {
        if let boundAddress { return [bound(boundAddress, in: all)] }
        let allowed = all.filter { candidate in
            candidate.interface.isUp && isUsable(candidate) && allowsInterface(candidate.interface)
                && allowsAddress(candidate.ip)
        }
        var selected = allowed.filter { candidate in
            if candidate.ip.isLoopback || candidate.interface.kind == .loopback { return includesLoopback }
            if candidate.ip.isLinkLocal { return includesLinkLocal }
            let siblings = allowed.filter { $0.interface.index == candidate.interface.index && $0.ip.isIPv6 }
            // Unique local addresses (RFC 4193) have no temporary counterpart among the global ones.
            return candidate.ip.isIPv4 || candidate.isTemporary
                || !siblings.contains { $0.isTemporary && $0.ip.isPrivate == candidate.ip.isPrivate }
        }
        if selected.isEmpty { selected = allowed }
        var seen: Set<IPAddress> = []
        selected = selected.filter { seen.insert($0.ip).inserted }
        return Array(interleaved(selected).prefix(maximumCount))
    }

    private func isUsable(_ candidate: InterfaceAddress) -> Bool {
        let ip = candidate.ip
        return !ip.isUnspecified && !ip.isMulticast && !ip.isIPv4Mapped && !ip.isSiteLocal && !candidate.isDeprecated
            && !candidate.interface.name.hasPrefix("awdl") && !candidate.interface.name.hasPrefix("llw")
    }

    private func bound(_ ip: IPAddress, in all: [InterfaceAddress]) -> InterfaceAddress {
        all.first { $0.ip == ip }
            ?? InterfaceAddress(interface: NetworkInterface(name: "", index: 0, kind: .unknown, isUp: true), ip: ip)
    }

    /// Sorts by kind of interface, and alternates between IPv6 and IPv4 within a kind (RFC 8421, section 4), so that
    /// neither family is excluded by a limit or delayed by a slow start.
    private func interleaved(_ addresses: [InterfaceAddress]) -> [InterfaceAddress] {
        var result: [InterfaceAddress] = []
        for kind in NetworkInterface.Kind.allCases {
            let ofKind = addresses.filter { $0.interface.kind == kind }
            let v6 = ofKind.filter(\.ip.isIPv6)
            let v4 = ofKind.filter(\.ip.isIPv4)
            for index in 0..<max(v6.count, v4.count) {
                if index < v6.count { result.append(v6[index]) }
                if index < v4.count { result.append(v4[index]) }
            }
        }
        return result
    }
}
