public import RTCWire

/// How a gateway translates addresses, in the terms of RFC 4787.
public struct NATBehavior: Sendable, Hashable {
    /// The part of the remote end that a rule depends on, beside the internal address and port (RFC 4787, sections 4.1 and 5).
    public enum Dependence: Sendable, Hashable {
        /// On nothing: one mapping for every remote end, or any sender may use the mapping.
        case endpointIndependent
        /// On the remote address.
        case addressDependent
        /// On the remote address and port.
        case addressAndPortDependent
    }

    /// Which datagrams share an external port (section 4.1).
    public var mapping: Dependence
    /// The senders that may use an external port (section 5).
    public var filtering: Dependence
    /// Whether insiders reach each other by their external addresses (section 6).
    public var hairpins = true
    /// Whether the external port is the inside one where that is free (section 4.2.1), or always a random one.
    public var preservesPorts: Bool
    /// How long a mapping lives without an outbound datagram (section 4.3 asks for two minutes at least; some give 30 s).
    public var mappingTimeout: TimeDelta = .seconds(120)
    /// Whether inbound datagrams prolong a mapping too (section 4.3).
    public var inboundRefreshes = true

    public init(mapping: Dependence, filtering: Dependence, preservesPorts: Bool = true) {
        self.mapping = mapping
        self.filtering = filtering
        self.preservesPorts = preservesPorts
    }

    /// One mapping for all, open to all.
    public static var fullCone: NATBehavior {
        NATBehavior(mapping: .endpointIndependent, filtering: .endpointIndependent)
    }
    /// One mapping for all, open to addresses that were sent to.
    public static var addressRestrictedCone: NATBehavior {
        NATBehavior(mapping: .endpointIndependent, filtering: .addressDependent)
    }
    /// One mapping for all, open to addresses and ports that were sent to.
    public static var portRestrictedCone: NATBehavior {
        NATBehavior(mapping: .endpointIndependent, filtering: .addressAndPortDependent)
    }
    /// A mapping for each remote end, on an unpredictable port.
    public static var symmetric: NATBehavior {
        NATBehavior(mapping: .addressAndPortDependent, filtering: .addressAndPortDependent, preservesPorts: false)
    }
}

/// The traffic without translation that a gateway passes: all IPv6, and IPv4 without NAT.
public enum FirewallPolicy: Sendable, Hashable {
    /// Everything.
    case open
    /// What answers an outbound datagram, from the address and port that it went to (RFC 6092, REC-33).
    case stateful
    /// No UDP in either direction, translated or not: no datagram of a simulation passes.
    case blocksUDP
}
