package import RTCWire

/// How the NATs and firewalls between a host and its servers treat UDP, in the terms of RFC 4787 and RFC 5780.
package struct NATFindings: Sendable, Hashable {
    /// Which datagrams share an external address (RFC 4787, section 4.1).
    package enum Mapping: String, Sendable, Hashable {
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
    package enum Filtering: String, Sendable, Hashable {
        case endpointIndependent
        case addressDependent
        case addressAndPortDependent
        /// The filtering was not tested.
        case unknown
    }

    /// The external address that a server sees.
    package struct Mapped: Sendable, Hashable {
        package var server: TransportAddress
        package var address: TransportAddress

        package init(server: TransportAddress, address: TransportAddress) {
            self.server = server
            self.address = address
        }
    }

    package var mapping = Mapping.unknown
    package var filtering = Filtering.unknown
    /// Whether hosts behind the NAT reach each other by their external addresses (RFC 4787, section 6). `nil` if not
    /// tested.
    package var hairpins: Bool?
    /// Whether the external port was the host's own. `nil` without a NAT.
    package var preservesPort: Bool?
    /// The external addresses seen by the servers that answered, in the order of their answers.
    package var mapped: [Mapped] = []
    /// Servers that did not answer over UDP.
    package var silent: [TransportAddress] = []

    package init() {}

    /// Whether no server answered at all: UDP does not get through, or all servers are down.
    package var hasNoResponse: Bool { mapped.isEmpty }
}

extension NATFindings {
    /// The older, well-known names for the common combinations (RFC 3489, section 5).
    package enum Kind: String, Sendable, Hashable {
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

    package var kind: Kind {
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
