/// What ``PeerConnection/getStats()`` returns: one moment of a connection, under the names of W3C webrtc-stats.
///
/// Counts run from the start of the connection. Times are seconds.
public struct StatisticsReport: Sendable, Hashable {
    public var peerConnection: PeerConnectionStatistics
    public var transport: TransportStatistics
    public var candidatePairs: [CandidatePairStatistics]
    public var localCandidates: [CandidateStatistics]
    public var remoteCandidates: [CandidateStatistics]
    public var dataChannels: [DataChannelStatistics]
    public var certificates: [CertificateStatistics]
    public var outboundRTP: [OutboundRTPStatistics] = []
    public var inboundRTP: [InboundRTPStatistics] = []
    public var remoteInboundRTP: [RemoteInboundRTPStatistics] = []
    public var codecs: [CodecStatistics] = []
    public var mediaSources: [MediaSourceStatistics] = []
    /// Not part of webrtc-stats: what the engine dropped as noise.
    public var dropped: DroppedStatistics
}

/// `RTCPeerConnectionStats`
public struct PeerConnectionStatistics: Sendable, Hashable {
    public var dataChannelsOpened: Int
    public var dataChannelsClosed: Int
}

/// `RTCTransportStats`, and what the SCTP association knows.
public struct TransportStatistics: Sendable, Hashable {
    public var packetsSent: Int
    public var packetsReceived: Int
    public var bytesSent: Int
    public var bytesReceived: Int
    /// `new`, `connecting`, `connected`, `closed` or `failed`.
    public var dtlsState: String
    public var iceState: String
    /// `controlling` or `controlled`.
    public var iceRole: String
    public var iceLocalUsernameFragment: String
    /// `client`, `server` or `unknown`.
    public var dtlsRole: String
    /// `FEFD` for DTLS 1.2, `FEFC` for DTLS 1.3.
    public var tlsVersion: String?
    public var dtlsCipher: String?
    public var selectedCandidatePairId: String?
    public var selectedCandidatePairChanges: Int
    public var localCertificateId: String
    public var remoteCertificateId: String?
    /// `RTCSctpTransportStats`: bytes.
    public var congestionWindow: Int
    /// Bytes that the other peer is ready to take.
    public var receiverWindow: Int
    public var smoothedRoundTripTime: Double?
    /// Not part of webrtc-stats: chunks that were sent again.
    public var sctpRetransmissions: Int
}

/// `RTCIceCandidatePairStats`
public struct CandidatePairStatistics: Sendable, Hashable {
    public var id: String
    public var localCandidateId: String
    public var remoteCandidateId: String
    /// `frozen`, `waiting`, `in-progress`, `failed` or `succeeded`.
    public var state: String
    public var nominated: Bool
    public var currentRoundTripTime: Double?
    public var totalRoundTripTime: Double
    /// Of the selected pair, once video is sent: what the path is estimated to bear, in bits per second.
    public var availableOutgoingBitrate: Double?
    public var requestsSent: Int
    public var requestsReceived: Int
    public var responsesSent: Int
    public var responsesReceived: Int
    public var consentRequestsSent: Int
}

/// `RTCIceCandidateStats`
public struct CandidateStatistics: Sendable, Hashable {
    public var id: String
    public var address: String
    public var port: UInt16
    /// `udp` or `tcp`.
    public var `protocol`: String
    /// `host`, `srflx`, `prflx` or `relay`.
    public var candidateType: String
    public var priority: UInt32
    public var foundation: String
    public var relatedAddress: String?
    public var relatedPort: UInt16?
    public var usernameFragment: String?
    public var tcpType: String?
    /// What leads to the server of a local relayed candidate: `udp`, `tcp` or `tls`.
    public var relayProtocol: String?
    /// The URL of the server that a local reflexive or relayed candidate came from, as it was configured.
    public var url: String?
}

/// `RTCDataChannelStats`
public struct DataChannelStatistics: Sendable, Hashable {
    public var id: String
    public var label: String
    public var `protocol`: String
    public var dataChannelIdentifier: UInt16?
    /// `connecting`, `open`, `closing` or `closed`.
    public var state: String
    public var messagesSent: Int
    public var bytesSent: Int
    public var messagesReceived: Int
    public var bytesReceived: Int
}

/// `RTCCertificateStats`
public struct CertificateStatistics: Sendable, Hashable {
    public var id: String
    public var fingerprint: String
    /// `sha-256`
    public var fingerprintAlgorithm: String
    /// In Base64.
    public var base64Certificate: String
}

/// Noise: what arrived and made no sense. A rise means somebody sends garbage, or something is misconfigured.
public struct DroppedStatistics: Sendable, Hashable {
    /// Datagrams of no known protocol, or from an address that no connectivity check had proved.
    public var datagrams: Int
    /// STUN messages that were malformed, unauthenticated or unexpected.
    public var stun: Int
    /// DTLS records that could not be decrypted, or were replayed.
    public var dtls: Int
    /// SCTP packets and chunks that were malformed.
    public var sctp: Int
}
