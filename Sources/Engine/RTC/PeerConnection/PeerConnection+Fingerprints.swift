internal import RTCTransport

extension PeerConnection {
    /// The SHA-256 fingerprints of the local and the remote certificate, 32 bytes each; `nil` unless DTLS is connected.
    ///
    /// They are computed from the certificates of the DTLS handshake, not taken from session descriptions, which may
    /// contain several fingerprints and come over the signalling channel. They do not change during the connection,
    /// because a description with another certificate is rejected.
    package var verifiedFingerprints: (local: [UInt8], remote: [UInt8])? { engine.verifiedFingerprints }
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
