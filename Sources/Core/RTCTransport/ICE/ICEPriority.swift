import RTCWire

/// The arithmetic of candidate and pair priorities (RFC 8445, sections 5.1.2 and 6.1.2.3; RFC 8421).
enum ICEPriority {
    /// `2²⁴ · type preference + 2⁸ · local preference + (256 − component)`, for component 1.
    static func candidate(typePreference: UInt8, localPreference: UInt16) -> UInt32 {
        UInt32(typePreference) << 24 | UInt32(localPreference) << 8 | 255
    }

    /// The recommended type preferences (RFC 8445, section 5.1.2.2); for relays, by the transport to their server.
    static func typePreference(_ type: ICECandidateType, relay: ICERelayProperties.Transport? = nil) -> UInt8 {
        switch type {
        case .host: 126
        case .peerReflexive: 110
        case .serverReflexive: 100
        case .relayed:
            switch relay {
            case .udp, nil: 2
            case .tcp: 1
            case .tls: 0
            }
        }
    }

    /// The type preference of TCP: below all UDP types except relays (RFC 6544, section 4.2).
    static func tcpTypePreference(_ type: ICECandidateType) -> UInt8 {
        switch type {
        case .host: 90
        case .peerReflexive: 80
        case .serverReflexive: 70
        case .relayed: 0
        }
    }

    /// The local preference for TCP (RFC 6544, section 4.2): three bits for the direction, active preferred, and
    /// thirteen for the interface.
    static func tcpPreference(_ role: ICETCPRole, kind: ICEInterfaceKind, index: Int) -> UInt16 {
        let direction: UInt16 = if case .active = role { 6 } else { 4 }
        return direction << 13 | (8_191 - UInt16(kind.rawValue) * 1_024 - UInt16(min(index, 1_023)))
    }

    /// The local preference: orders sockets by kind of interface, and alternates IPv6 and IPv4 within a kind, IPv6
    /// first, so that neither family waits for all addresses of the other (RFC 8421, section 4). Link-local addresses
    /// come last within their kind.
    ///
    /// - Parameter index: 0 for the first socket of this kind and family, 1 for the second, and so on.
    static func localPreference(kind: ICEInterfaceKind, address: IPAddress, index: Int) -> UInt16 {
        var penalty = Int(kind.rawValue) * 8_192 + min(index, 2_047) * 2
        if address.isLinkLocal { penalty += 4_096 }
        if address.isIPv4 { penalty += 1 }
        return UInt16(clamping: 65_535 - penalty)
    }

    /// `2³² · min(G, D) + 2 · max(G, D) + (G > D ? 1 : 0)`.
    static func pair(local: UInt32, remote: UInt32, isControlling: Bool) -> UInt64 {
        let controlling = UInt64(isControlling ? local : remote)
        let controlled = UInt64(isControlling ? remote : local)
        let (least, most) = (min(controlling, controlled), max(controlling, controlled))
        return least << 32 &+ most << 1 &+ (controlling > controlled ? 1 : 0)
    }

    /// A foundation that is equal exactly for the same type, base address, protocol and server (section 5.1.1.3).
    static func foundation(
        type: ICECandidateType, base: IPAddress, transport: ICETransportProtocol, server: IPAddress?
    ) -> String {
        let text = "\(type.rawValue) \(base) \(transport.rawValue) \(server.map { "\($0)" } ?? "")"
        return String(Array(text.utf8).withUnsafeBytes { STUNCRC32.checksum($0) })
    }
}
