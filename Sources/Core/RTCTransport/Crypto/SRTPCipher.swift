/// The cryptography of SRTP for one direction: the interface between ``SRTPSession`` and the library.
///
/// A cipher is created from a master key and salt (``CryptoProvider/makeSRTPCipher(profile:masterKey:masterSalt:)``),
/// derives its session keys from them (RFC 3711, section 4.3) and keeps them private. It does not know streams: the
/// session determines the index of a packet, and whether it was received before.
///
/// It is called once per packet, and does not allocate. After a failure, the contents of the output memory are
/// undefined.
@usableFromInline package protocol SRTPCipher: AnyObject {
    /// Encrypts and authenticates an RTP packet of `count` bytes at the start of `packet`, in place.
    ///
    /// - Parameters:
    ///   - packet: Has room for `count` plus ``SRTPProfile/rtpOverhead`` bytes.
    ///   - headerLength: The bytes before the payload: 12 to `count`.
    ///   - index: Rollover counter and sequence number, 48 bits (RFC 3711, section 3.3.1). Never the same twice for one
    ///     synchronization source.
    /// - Returns: The size of the protected packet, or `nil` when the library failed.
    func sealRTP(_ packet: UnsafeMutableRawBufferPointer, count: Int, headerLength: Int, index: UInt64) -> Int?

    /// Checks an SRTP packet and decrypts it, header included, to the start of `memory`. The packet stays as it is.
    ///
    /// - Parameters:
    ///   - packet: All of it: `headerLength` plus ``SRTPProfile/rtpOverhead`` bytes at least.
    ///   - memory: As many bytes as the packet has, elsewhere.
    ///   - headerLength: The bytes before the payload, 12 or more.
    ///   - index: Rollover counter and sequence number, 48 bits.
    /// - Returns: The size of the RTP packet, or `nil` when it is not authentic.
    func openRTP(
        _ packet: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, headerLength: Int, index: UInt64
    ) -> Int?

    /// Encrypts and authenticates a compound RTCP packet of `count` bytes, 8 or more, at the start of `packet`, in
    /// place.
    ///
    /// - Parameters:
    ///   - packet: Has room for `count` plus ``SRTPProfile/rtcpOverhead`` bytes.
    ///   - index: The SRTCP index, 31 bits. Never the same twice for one synchronization source.
    ///   - isEncrypted: The E flag (RFC 3711, section 3.4): `false` authenticates only.
    /// - Returns: The size of the protected packet, or `nil` when the library failed.
    func sealRTCP(_ packet: UnsafeMutableRawBufferPointer, count: Int, index: UInt32, isEncrypted: Bool) -> Int?

    /// Checks an SRTCP packet, which names its index itself, and decrypts it in place if its E flag is set.
    ///
    /// - Parameter packet: All of it: 8 plus ``SRTPProfile/rtcpOverhead`` bytes at least.
    /// - Returns: The size of the RTCP packet, or `nil` when it is not authentic.
    func openRTCP(_ packet: UnsafeMutableRawBufferPointer) -> Int?
}

extension SRTPProfile {
    /// The length of an authentication tag in bytes (RFC 5764, section 4.1.2; RFC 7714, section 13.1).
    @usableFromInline package var tagLength: Int {
        switch self {
        case .aes128CMHMACSHA1_80: 10
        case .aeadAES128GCM, .aeadAES256GCM: 16
        }
    }

    /// How many bytes longer an RTP packet becomes.
    @usableFromInline package var rtpOverhead: Int { tagLength }

    /// How many bytes longer a compound RTCP packet becomes: by the tag, and by the word with E flag and index.
    @usableFromInline package var rtcpOverhead: Int { tagLength + 4 }

    /// Where the word with E flag and SRTCP index begins, in bytes from the packet's end: it stands before the tag in
    /// RFC 3711 (section 3.4), and behind it in RFC 7714 (section 9.2).
    @usableFromInline package var rtcpIndexDistanceFromEnd: Int {
        switch self {
        case .aes128CMHMACSHA1_80: 4 + tagLength
        case .aeadAES128GCM, .aeadAES256GCM: 4
        }
    }
}
