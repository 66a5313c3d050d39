public import RTCWire

/// How the NATs and firewalls between a host and its servers treat UDP, in the terms of RFC 4787 and RFC 5780.
public struct NATFindings: Sendable, Hashable {
    /// Which datagrams share an external address (RFC 4787, section 4.1).
    public enum Mapping: String, Sendable, Hashable {
        /// The servers see the host's own address.
        case untranslated
        case endpointIndependent
        case addressDependent
        case addressAndPortDependent
        /// Several servers see different addresses: one of the two above.
        case dependent
        case unknown
    }

    /// The senders whose datagrams reach an external address (RFC 4787, section 5).
    public enum Filtering: String, Sendable, Hashable {
        case endpointIndependent
        case addressDependent
        case addressAndPortDependent
        /// The filtering was not tested.
        case unknown
    }

    /// The external address that a server sees.
    public struct Mapped: Sendable, Hashable {
        public var server: TransportAddress
        public var address: TransportAddress

        public init(server: TransportAddress, address: TransportAddress) {
            self.server = server
            self.address = address
        }
    }

    public var mapping = Mapping.unknown
    public var filtering = Filtering.unknown
    /// Whether hosts behind the NAT reach each other by their external addresses (RFC 4787, section 6). `nil` if not
    /// tested.
    public var hairpins: Bool?
    /// Whether the external port was the host's own. `nil` without a NAT.
    public var preservesPort: Bool?
    /// The external addresses seen by the servers that answered, in the order of their answers.
    public var mapped: [Mapped] = []
    /// Servers that did not answer over UDP.
    public var silent: [TransportAddress] = []

    public init() {}

    /// Whether no server answered at all: UDP does not get through, or all servers are down.
    public var hasNoResponse: Bool { mapped.isEmpty }
}

extension NATFindings {
    /// The older, well-known names for the common combinations (RFC 3489, section 5).
    public enum Kind: String, Sendable, Hashable {
        case none
        /// No NAT, but not everybody may send.
        case firewall
        case fullCone
        case addressRestricted
        case portRestricted
        case symmetric
        /// One mapping for all destinations; its filtering is unknown.
        case cone
        case blocked
        case unknown
    }

    public var kind: Kind {
        if hasNoResponse { return .blocked }
        switch (mapping, filtering) {
        case (.untranslated, .addressDependent), (.untranslated, .addressAndPortDependent): return .firewall
        case (.untranslated, _): return .none
        case (.endpointIndependent, .endpointIndependent): return .fullCone
        case (.endpointIndependent, .addressDependent): return .addressRestricted
        case (.endpointIndependent, .addressAndPortDependent): return .portRestricted
        case (.endpointIndependent, .unknown): return .cone
        case (.addressDependent, _), (.addressAndPortDependent, _), (.dependent, _): return .symmetric
        case (.unknown, _): return .unknown
        }
    }
}
