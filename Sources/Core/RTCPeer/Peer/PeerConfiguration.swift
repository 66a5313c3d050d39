public import RTCMedia
public import RTCTransport
public import RTCWire

/// How a ``Peer`` is set up. Fixed for the peer's life.
public struct PeerConfiguration {
    /// The certificate that this side shows in DTLS.
    public var certificate: any LocalCertificate
    public var ice: ICEConfiguration
    public var sctp: SCTPConfiguration
    /// Whether the peer makes offers and answers itself, and how it resolves colliding offers.
    public var negotiation: NegotiationMode
    /// Whether this side makes no offer before it has received one: a callee adds tracks and channels immediately, and
    /// they become part of the answer.
    public var waitsForOffer: Bool
    /// The oldest and newest DTLS versions to negotiate.
    public var dtlsVersions: ClosedRange<DTLSVersion>
    /// The codecs and header extensions of audio and video; none for a peer of data channels alone.
    public var media: MediaCapabilities
    /// The SRTP protection profiles to negotiate, the preferred one first (RFC 5764).
    public var srtpProfiles: [SRTPProfile]
    /// The relation of the peer's clock to the time of day, for RTCP's sender reports.
    public var clock: NTPClock
    /// The initial bitrate of video, until the path is known better.
    public var startBitrate: Bitrate
    /// The share of data channels in the rate that they share with video, 0 to 1, when both want more: 0.3 by default.
    public var dataShare: Double
    /// The longest DTLS handshake before the connection fails.
    public var handshakeTimeout: TimeDelta

    public init(certificate: any LocalCertificate) {
        self.certificate = certificate
        self.ice = ICEConfiguration()
        self.sctp = SCTPConfiguration()
        self.negotiation = .manual
        self.waitsForOffer = false
        self.dtlsVersions = .v12 ... .v13
        self.media = MediaCapabilities()
        self.srtpProfiles = [.aeadAES128GCM, .aeadAES256GCM, .aes128CMHMACSHA1_80]
        self.clock = NTPClock(unixNanoseconds: 0, at: .zero)
        self.startBitrate = .kilobits(1_000)
        self.dataShare = 0.3
        self.handshakeTimeout = .seconds(30)
    }
}

/// Whether the peer or the application exchanges the descriptions.
public enum NegotiationMode: Sendable, Hashable {
    /// The caller makes, sets and answers descriptions one by one, as with the W3C's API.
    case manual
    /// The peer does it all: it offers when something changed, answers what arrives, and settles glare by rolling back
    /// the polite side's offer ("perfect negotiation"). One side of a call is polite, the other is not.
    case perfect(isPolite: Bool)
}
