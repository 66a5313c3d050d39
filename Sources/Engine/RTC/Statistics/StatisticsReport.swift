/// The statistics of a connection at one moment, with the names of W3C webrtc-stats. See ``PeerConnection/getStats()``.
///
/// Counters begin with the connection. Times are in seconds. Encoded, the members keep their names, and unknown values are left out.
///
/// Properties are what an app shows, or judges a call by. What is for a diagnosis (certificates, totals of times, requests of ICE,
/// windows of SCTP) is in the encoded report alone.
public struct StatisticsReport: Sendable, Hashable, Encodable {
    package var peerConnection: PeerConnectionStatistics
    public var transport: TransportStatistics
    public var candidatePairs: [CandidatePairStatistics]
    public var localCandidates: [CandidateStatistics]
    public var remoteCandidates: [CandidateStatistics]
    public var dataChannels: [DataChannelStatistics]
    package var certificates: [CertificateStatistics]
    public var outboundRTP: [OutboundRTPStatistics] = []
    public var inboundRTP: [InboundRTPStatistics] = []
    public var remoteInboundRTP: [RemoteInboundRTPStatistics] = []
    public var codecs: [CodecStatistics] = []
    public var mediaSources: [MediaSourceStatistics] = []
    /// Not part of webrtc-stats: the counters of dropped packets.
    package var dropped: DroppedStatistics
}

/// The statistics of the connection (W3C `RTCPeerConnectionStats`).
package struct PeerConnectionStatistics: Sendable, Hashable, Encodable {
    package var dataChannelsOpened: Int
    package var dataChannelsClosed: Int
}

/// The statistics of the transport (W3C `RTCTransportStats`) and of the SCTP association.
public struct TransportStatistics: Sendable, Hashable, Encodable {
    public var packetsSent: Int
    public var packetsReceived: Int
    public var bytesSent: Int
    public var bytesReceived: Int
    /// `new`, `connecting`, `connected`, `closed` or `failed`.
    public var dtlsState: String
    public var iceState: String
    /// `controlling` or `controlled`.
    public var iceRole: String
    package var iceLocalUsernameFragment: String
    /// `client`, `server` or `unknown`.
    package var dtlsRole: String
    /// `FEFD` for DTLS 1.2, `FEFC` for DTLS 1.3.
    public var tlsVersion: String?
    public var dtlsCipher: String?
    public var selectedCandidatePairId: String?
    package var selectedCandidatePairChanges: Int
    package var localCertificateId: String
    package var remoteCertificateId: String?
    /// The SCTP congestion window in bytes (W3C `RTCSctpTransportStats`).
    package var congestionWindow: Int
    /// The peer's SCTP receive window in bytes.
    package var receiverWindow: Int
    package var smoothedRoundTripTime: Double?
    /// Not part of webrtc-stats: the number of retransmitted SCTP chunks.
    package var sctpRetransmissions: Int
}

/// A candidate pair (W3C `RTCIceCandidatePairStats`).
public struct CandidatePairStatistics: Sendable, Hashable, Encodable {
    public var id: String
    public var localCandidateId: String
    public var remoteCandidateId: String
    /// `frozen`, `waiting`, `in-progress`, `failed` or `succeeded`.
    public var state: String
    package var nominated: Bool
    public var currentRoundTripTime: Double?
    package var totalRoundTripTime: Double
    /// The estimated bandwidth in bits per second; only of the selected pair, once video is sent.
    public var availableOutgoingBitrate: Double?
    package var requestsSent: Int
    package var requestsReceived: Int
    package var responsesSent: Int
    package var responsesReceived: Int
    package var consentRequestsSent: Int
}

/// A candidate (W3C `RTCIceCandidateStats`).
public struct CandidateStatistics: Sendable, Hashable, Encodable {
    public var id: String
    public var address: String
    public var port: UInt16
    /// `udp` or `tcp`.
    public var `protocol`: String
    /// `host`, `srflx`, `prflx` or `relay`.
    public var candidateType: String
    package var priority: UInt32
    package var foundation: String
    package var relatedAddress: String?
    package var relatedPort: UInt16?
    package var usernameFragment: String?
    package var tcpType: String?
    /// The transport to the TURN server of a local relayed candidate: `udp`, `tcp` or `tls`.
    public var relayProtocol: String?
    /// The URL of the server from which a local server-reflexive or relayed candidate comes, as configured.
    public var url: String?
}

/// A data channel (W3C `RTCDataChannelStats`).
public struct DataChannelStatistics: Sendable, Hashable, Encodable {
    public var id: String
    public var label: String
    public var `protocol`: String
    package var dataChannelIdentifier: UInt16?
    /// `connecting`, `open`, `closing` or `closed`.
    public var state: String
    public var messagesSent: Int
    public var bytesSent: Int
    public var messagesReceived: Int
    public var bytesReceived: Int
}

/// A certificate (W3C `RTCCertificateStats`).
package struct CertificateStatistics: Sendable, Hashable, Encodable {
    package var id: String
    package var fingerprint: String
    /// The hash algorithm: `sha-256`.
    package var fingerprintAlgorithm: String
    /// The certificate in DER, as Base64.
    package var base64Certificate: String
}

/// The counters of dropped packets. Rising counters mean that somebody sends garbage, or that something is
/// misconfigured.
package struct DroppedStatistics: Sendable, Hashable, Encodable {
    /// Datagrams of an unknown protocol, or from an address without a successful connectivity check.
    package var datagrams: Int
    /// STUN messages that were malformed, unauthenticated or unexpected.
    package var stun: Int
    /// DTLS records that could not be decrypted, or were replayed.
    package var dtls: Int
    /// SCTP packets and chunks that were malformed.
    package var sctp: Int
}
