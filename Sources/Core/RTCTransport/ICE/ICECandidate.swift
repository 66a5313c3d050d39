package import RTCWire

/// One transport address at which an agent may be reached (RFC 8445, section 5.1; RFC 8839, section 5.1).
package struct ICECandidate: Sendable, Hashable {
    /// Groups candidates of the same type, base, protocol and server: 1 to 32 ICE characters.
    package var foundation: String
    /// 1 for everything that Duet sends or accepts: rtcp-mux is always in use.
    package var component: UInt16
    package var transport: ICETransportProtocol
    /// 1 to 2³¹ − 1; higher is better.
    package var priority: UInt32
    package var address: ICECandidateAddress
    package var port: UInt16
    package var type: ICECandidateType
    /// `raddr`: the address from which a reflexive or relayed candidate was derived.
    package var relatedAddress: IPAddress?
    /// `rport`.
    package var relatedPort: UInt16?
    /// `tcptype` of a TCP candidate (RFC 6544).
    package var tcpType: ICETCPCandidateType?
    /// `ufrag`: the generation that the candidate belongs to (RFC 8839, section 5.1; RFC 8838, section 4).
    package var usernameFragment: String?
    /// Unknown extension attributes, in their order, kept for writing.
    package var extensions: [ICECandidateExtension]

    package init(
        foundation: String, component: UInt16 = 1, transport: ICETransportProtocol = .udp, priority: UInt32,
        address: ICECandidateAddress, port: UInt16, type: ICECandidateType, relatedAddress: IPAddress? = nil,
        relatedPort: UInt16? = nil, tcpType: ICETCPCandidateType? = nil, usernameFragment: String? = nil,
        extensions: [ICECandidateExtension] = []
    ) {
        self.foundation = foundation
        self.component = component
        self.transport = transport
        self.priority = priority
        self.address = address
        self.port = port
        self.type = type
        self.relatedAddress = relatedAddress
        self.relatedPort = relatedPort
        self.tcpType = tcpType
        self.usernameFragment = usernameFragment
        self.extensions = extensions
    }

    /// Address and port, or `nil` while the address is a name.
    package var transportAddress: TransportAddress? {
        guard case .ip(let ip) = address else { return nil }
        return TransportAddress(ip: ip, port: port)
    }
}

package enum ICETransportProtocol: String, Sendable, Hashable {
    case udp
    case tcp
}

/// The connection-address of a candidate.
package enum ICECandidateAddress: Sendable, Hashable {
    case ip(IPAddress)
    /// A host name, such as the `.local` name that a browser hides its address behind.
    case name(String)
}

/// The candidate types, by their tokens in SDP.
package enum ICECandidateType: String, Sendable, Hashable {
    case host
    case serverReflexive = "srflx"
    case peerReflexive = "prflx"
    case relayed = "relay"
}

/// `tcptype` (RFC 6544, section 4.5).
package enum ICETCPCandidateType: String, Sendable, Hashable {
    case active
    case passive
    case simultaneousOpen = "so"
}

/// A name and value at the end of a candidate line (RFC 8839, section 5.1, `extension-att`).
package struct ICECandidateExtension: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
