internal import RTCTransport

extension PeerConnection {
    /// The SHA-256 fingerprints of our certificate and of the other peer's, 32 bytes each, while DTLS is connected; else
    /// `nil`.
    ///
    /// They are computed from the certificates with which the handshake was made, not taken from descriptions: those may
    /// announce several, and come through the signalling. They stay the same for as long as the connection lives, since
    /// a connection takes no description that names another certificate.
    public var verifiedFingerprints: (local: [UInt8], remote: [UInt8])? { engine.verifiedFingerprints }
}

extension Engine {
    var verifiedFingerprints: (local: [UInt8], remote: [UInt8])? {
        guard peer.dtlsState == .connected, let certificate = peer.remoteCertificateDER,
            let local = Fingerprint(ofCertificate: peer.localCertificateDER, crypto: crypto),
            let remote = Fingerprint(ofCertificate: certificate, crypto: crypto)
        else { return nil }
        return (local.bytes, remote.bytes)
    }
}
