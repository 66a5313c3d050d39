internal import CNIOBoringSSL
internal import RTCTransport

/// What RTCCrypto needs of the BoringSSL that swift-nio-ssl carries, tried out piece by piece.
///
/// That module is no public product of its package, so a later version may drop or change what is used here. A function
/// that is gone stops RTCCrypto, and nothing else, from compiling; a function that no longer does what it did is found
/// here, and a test says which.
@_spi(Testing)
public enum LibrarySurface {
    /// One sentence for each thing that does not work; empty when all is well.
    public static func complaints() -> [String] {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let context = SharedContext.shared.pointer else { return ["SSL_CTX_new: no DTLS context"] }
        guard let ssl = SSL_new(context) else { return ["SSL_new: no connection"] }
        defer { SSL_free(ssl) }
        var complaints: [String] = []
        func expect(_ holds: Bool, _ complaint: String) {
            if !holds { complaints.append(complaint) }
        }
        expect(SSL_is_dtls(ssl) == 1, "DTLS_with_buffers_method: the connection is not DTLS")
        expect(SSL_set_max_proto_version(ssl, UInt16(DTLS1_3_VERSION)) == 1, "SSL_set_max_proto_version: no DTLS 1.3")
        expect(SSL_set_min_proto_version(ssl, UInt16(DTLS1_2_VERSION)) == 1, "SSL_set_min_proto_version: no DTLS 1.2")
        expect(SSL_set_mtu(ssl, 1_200) == 1, "SSL_set_mtu: 1,200 bytes are refused")
        expect(SSL_set_mtu(ssl, 10) == 0, "SSL_set_mtu: 10 bytes are accepted")
        for share in [KeyShare.classical, .postQuantumAndClassical] {
            let groups = share.groups + KeyShare.others
            expect(SSL_set1_group_ids(ssl, groups, groups.count) == 1, "SSL_set1_group_ids: \(groups) are refused")
            expect(
                SSL_set1_client_key_shares(ssl, share.groups, share.groups.count) == 1,
                "SSL_set1_client_key_shares: \(share.groups) are refused")
        }
        for profile in SRTPProfile.allCases {
            expect(SSL_set_srtp_profiles(ssl, profile.libraryName) == 1, "SSL_set_srtp_profiles: no \(profile)")
            let offered = SSL_get_srtp_profiles(ssl).flatMap { sk_SRTP_PROTECTION_PROFILE_value($0, 0) }
            expect(
                offered.map { UInt16(truncatingIfNeeded: $0.pointee.id) } == profile.rawValue,
                "SSL_get_srtp_profiles: \(profile) has another number")
        }
        expect(DatagramPipe.method.pointer != nil, "BIO_meth_new: no BIO of our own")
        complaints += clockComplaints(ssl)
        return complaints
    }

    /// The clock is the one thing that would go wrong without a word: retransmission would follow the system's.
    private static func clockComplaints(_ ssl: OpaquePointer) -> [String] {
        let pipe = UnsafeMutablePointer<DatagramPipe>.allocate(capacity: 1)
        pipe.initialize(to: DatagramPipe())
        guard let bio = BIO_new(DatagramPipe.method.pointer) else { return ["BIO_new: none"] }
        BIO_set_data(bio, pipe)
        BIO_set_init(bio, 1)
        SSL_set_bio(ssl, bio, bio)
        CurrentCall.set(pipe)
        defer {
            CurrentCall.set(nil)
            SSL_set_bio(ssl, nil, nil)
            pipe.deinitialize(count: 1)
            pipe.deallocate()
        }
        DTLSv1_set_initial_timeout_duration(ssl, 1_000)
        pipe.pointee.clock = 5_000_000
        SSL_set_connect_state(ssl)
        guard SSL_get_error(ssl, SSL_do_handshake(ssl)) == SSL_ERROR_WANT_READ, !pipe.pointee.outgoing.isEmpty else {
            return ["SSL_do_handshake: no ClientHello comes out of the datagram BIO"]
        }
        guard pipe.pointee.clockWasRead else { return ["SSL_CTX_set_current_time_cb: the callback is not asked"] }
        pipe.pointee.clock += 400_000
        var left = timeval()
        guard DTLSv1_get_timeout(ssl, &left) == 1, left.tv_sec == 0, left.tv_usec == 600_000 else {
            return ["DTLSv1_get_timeout: \(left.tv_sec) s \(left.tv_usec) µs are left, not 600 ms"]
        }
        return []
    }
}
