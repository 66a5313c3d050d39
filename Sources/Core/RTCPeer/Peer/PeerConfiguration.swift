package import RTCMedia
package import RTCTransport
package import RTCWire

/// How a ``Peer`` is set up. Fixed for the peer's life.
package struct PeerConfiguration {
    /// The certificate that this side shows in DTLS.
    package var certificate: any LocalCertificate
    package var ice: ICEConfiguration
    package var sctp: SCTPConfiguration
    /// Whether the peer makes offers and answers itself, and how it resolves colliding offers.
    package var negotiation: NegotiationMode
    /// Whether this side makes no offer before it has received one: a callee adds tracks and channels immediately, and
    /// they become part of the answer.
    package var waitsForOffer: Bool
    /// The oldest and newest DTLS versions to negotiate.
    package var dtlsVersions: ClosedRange<DTLSVersion>
    /// The codecs and header extensions of audio and video; none for a peer of data channels alone.
    package var media: MediaCapabilities
    /// The SRTP protection profiles to negotiate, the preferred one first (RFC 5764).
    package var srtpProfiles: [SRTPProfile]
    /// The relation of the peer's clock to the time of day, for RTCP's sender reports.
    package var clock: NTPClock
    /// The initial bitrate of video, until the path is known better.
    package var startBitrate: Bitrate
    /// The share of data channels in the rate that they share with video, 0 to 1, when both want more: 0.3 by default.
    package var dataShare: Double
    /// The longest DTLS handshake before the connection fails.
    package var handshakeTimeout: TimeDelta

    package init(certificate: any LocalCertificate) {
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
