package import RTCTransport

/// One side of the transport as a description carries it: ICE (RFC 8839) and DTLS (RFC 8842).
///
/// All accepted sections share one transport (RFC 9143), so a description has one of these.
package struct TransportDescription: Sendable, Hashable {
    /// 4 to 256 ICE characters (RFC 8839, section 5.4).
    package var iceUsernameFragment: String
    /// 22 to 256 ICE characters.
    package var icePassword: String
    /// Such as `trickle`, `ice2`, `renomination` (RFC 8839, section 5.6; RFC 8838).
    package var iceOptions: [String]
    /// Whether this side answers checks and sends none (RFC 8445, section 2.5).
    package var isICELite: Bool
    /// The digests of the certificate, those with an unknown hash function left out. Never empty; at least one is
    /// ``RTCTransport/Fingerprint/isAcceptable``.
    package var fingerprints: [Fingerprint]
    /// Which side begins the DTLS handshake. In ``NegotiationChange/RemoteTransport`` it is decided: active or passive.
    package var setup: SetupRole
    /// Identifies the DTLS association (RFC 8842, section 4), where the other side sends it. Browsers do not.
    package var tlsID: String?
    /// The values of the candidate attributes, each beginning with `candidate:` (RFC 8839, section 5.1).
    package var candidates: [String]
    /// Whether no more candidates will follow in this generation (RFC 8838, section 8.2).
    package var endOfCandidates: Bool

    package init(
        iceUsernameFragment: String, icePassword: String, iceOptions: [String] = [], isICELite: Bool = false,
        fingerprints: [Fingerprint], setup: SetupRole, tlsID: String? = nil, candidates: [String] = [],
        endOfCandidates: Bool = false
    ) {
        self.iceUsernameFragment = iceUsernameFragment
        self.icePassword = icePassword
        self.iceOptions = iceOptions
        self.isICELite = isICELite
        self.fingerprints = fingerprints
        self.setup = setup
        self.tlsID = tlsID
        self.candidates = candidates
        self.endOfCandidates = endOfCandidates
    }
}

/// One side of the SCTP association as a description carries it (RFC 8841).
package struct DataDescription: Sendable, Hashable {
    /// `a=sctp-port`, or 5000 if a description does not specify it.
    package var sctpPort: UInt16
    /// The largest message that this side accepts, in bytes (`a=max-message-size`): 65,536 if a description does not
    /// specify it, and `Int.max` if it is 0, which means any size.
    package var maximumMessageSize: Int

    package init(sctpPort: UInt16 = 5_000, maximumMessageSize: Int = 262_144) {
        self.sctpPort = sctpPort
        self.maximumMessageSize = maximumMessageSize
    }
}

/// The peer's input for each description of its own side.
///
/// ``Negotiator/needsFreshICECredentials`` tells whether the credentials have to be new; otherwise pass the ones in
/// use.
package struct LocalTransportInput: Sendable, Hashable {
    package var iceUsernameFragment: String
    package var icePassword: String
    /// Written at session level (RFC 9429, section 5.2.1).
    package var iceOptions: [String]
    /// At least one.
    package var fingerprints: [Fingerprint]
    /// `a=tls-id` (RFC 8842): 20 to 255 characters, or `nil` to leave it out as browsers do.
    package var tlsID: String?
    /// The candidates of this generation that have been gathered so far: values that begin with `candidate:`.
    package var candidates: [String]
    /// Whether that was all of them.
    package var endOfCandidates: Bool

    package init(
        iceUsernameFragment: String, icePassword: String, iceOptions: [String] = ["trickle", "ice2"],
        fingerprints: [Fingerprint], tlsID: String? = nil, candidates: [String] = [], endOfCandidates: Bool = false
    ) {
        self.iceUsernameFragment = iceUsernameFragment
        self.icePassword = icePassword
        self.iceOptions = iceOptions
        self.fingerprints = fingerprints
        self.tlsID = tlsID
        self.candidates = candidates
        self.endOfCandidates = endOfCandidates
    }
}
