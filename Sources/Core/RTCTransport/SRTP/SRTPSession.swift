import RTCWire

/// Protects the packets that one peer sends and unprotects those that it receives: SRTP and SRTCP (RFC 3711; AES-GCM:
/// RFC 7714) with the keys of one DTLS association (RFC 5764).
///
/// It works in the caller's memory, without allocation per packet. A packet is dropped and counted unless it is
/// authentic and new; the contents of the memory are then undefined.
///
/// It cannot be copied: two copies would protect two packets with the same nonce, which reveals AES-GCM's key. For the
/// same reason, create only one session from each ``SRTPKeyingMaterial``.
///
///     SRTP:   | RTP header | encrypted payload | tag 80 or 128 |
///     SRTCP:  | RTCP header, SSRC | encrypted rest | E, index 32 | tag 80 |      AES128_CM_HMAC_SHA1_80
///             | RTCP header, SSRC | encrypted rest | tag 128 | E, index 32 |     AEAD_AES_…_GCM
@usableFromInline package struct SRTPSession: ~Copyable {
    /// The number of packets by which an RTP packet may be late. Large, because video comes in bursts and RTX or
    /// another path adds delay.
    static let rtpWindowSize = 1_024
    /// The number of packets by which an RTCP packet may be late.
    static let rtcpWindowSize = 128
    /// The number of synchronization sources that a session tracks in each direction.
    static let maximumSources = 1_024

    @usableFromInline package let profile: SRTPProfile
    package private(set) var counters = SRTPCounters()

    private let sealer: any SRTPCipher
    private let opener: any SRTPCipher
    private var sending: SRTPSourceTable
    private var receiving: SRTPSourceTable
    private var receivingRTCP: SRTPSourceTable
    /// One counter for all our sources: each source has gaps, but no index is used twice. Starts at 1, as in other
    /// implementations.
    private var nextRTCPIndex: UInt32 = 1

    /// - Throws: `CryptoError` when the provider cannot use the keys.
    package init(keyingMaterial: SRTPKeyingMaterial, crypto: any CryptoProvider) throws(CryptoError) {
        let profile = keyingMaterial.profile
        let sealer = try crypto.makeSRTPCipher(
            profile: profile, masterKey: keyingMaterial.localKey, masterSalt: keyingMaterial.localSalt)
        let opener = try crypto.makeSRTPCipher(
            profile: profile, masterKey: keyingMaterial.remoteKey, masterSalt: keyingMaterial.remoteSalt)
        self.profile = profile
        self.sealer = sealer
        self.opener = opener
        sending = SRTPSourceTable(windowSize: Self.rtpWindowSize, maximumCount: Self.maximumSources)
        receiving = SRTPSourceTable(windowSize: Self.rtpWindowSize, maximumCount: Self.maximumSources)
        receivingRTCP = SRTPSourceTable(windowSize: Self.rtcpWindowSize, maximumCount: Self.maximumSources)
    }

    /// How many bytes ``protectRTP(_:count:)`` adds.
    @usableFromInline package var rtpOverhead: Int { profile.rtpOverhead }

    /// How many bytes ``protectRTCP(_:count:)`` adds.
    @usableFromInline package var rtcpOverhead: Int { profile.rtcpOverhead }

    // MARK: RTP

    /// Protects an RTP packet in place.
    ///
    /// Sequence numbers may come in any order, as long as they stay within 2¹⁵ of the highest, and each comes once. To
    /// send a packet again, send the protected bytes again, or use RTX.
    ///
    /// - Parameters:
    ///   - packet: The packet and, behind it, room for ``rtpOverhead`` bytes.
    ///   - count: The packet's size.
    /// - Returns: The size of the protected packet. `nil`, and counted, when there is no room, the packet is malformed,
    ///   or its number was protected before.
    @usableFromInline package mutating func protectRTP(_ packet: UnsafeMutableRawBufferPointer, count: Int) -> Int? {
        guard count <= packet.count - profile.rtpOverhead, count >= 0,
            let header = RTPHeader(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: packet[..<count])))
        else {
            counters.unfitForSending &+= 1
            return nil
        }
        let number = header.sequenceNumber.rawValue
        let slot = sending.find(header.ssrc.rawValue)
        let index = slot.map { sending[$0].estimatedIndex(of: number) } ?? UInt64(number)
        guard index >> 48 == 0, slot != nil || !sending.isFull else {
            counters.unfitForSending &+= 1
            return nil
        }
        if let slot {
            guard sending.verdict(on: index, at: slot) == .new else {
                counters.repeatedWhenSending &+= 1
                return nil
            }
            sending.accept(index, at: slot)
        } else {
            sending.insert(header.ssrc.rawValue, index: index)
        }
        let size = sealer.sealRTP(packet, count: count, headerLength: header.length, index: index)
        if size == nil { counters.unfitForSending &+= 1 } else { counters.protected &+= 1 }
        return size
    }

    /// Opens an SRTP packet into other memory: decrypting copies it anyway.
    ///
    /// - Parameters:
    ///   - packet: All of the datagram, which stays as it is.
    ///   - memory: As many bytes at least, elsewhere.
    /// - Returns: The size of the RTP packet at the start of `memory`, or `nil` when it was dropped and counted.
    @usableFromInline package mutating func unprotectRTP(
        _ packet: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard let header = RTPHeader(RawSpan(_unsafeBytes: packet)),
            header.length <= packet.count - profile.rtpOverhead, packet.count <= memory.count
        else {
            counters.malformed &+= 1
            return nil
        }
        let ssrc = header.ssrc.rawValue
        guard let slot = receiving.find(ssrc) else { return unprotectFirst(packet, into: memory, header) }
        let index = receiving[slot].estimatedIndex(of: header.sequenceNumber.rawValue)
        switch receiving.verdict(on: index, at: slot) {
        case .seen:
            counters.replayed &+= 1
            return nil
        case .tooOld:
            return unprotectResynchronizing(packet, into: memory, header, index, slot, isTooOld: true)
        case .new where receiving[slot].failures > 0:
            return unprotectResynchronizing(packet, into: memory, header, index, slot, isTooOld: false)
        case .new:
            break
        }
        guard index >> 48 == 0,
            let size = opener.openRTP(packet, into: memory, headerLength: header.length, index: index)
        else {
            receiving[slot].failures = 1
            counters.authenticationFailed &+= 1
            return nil
        }
        receiving.accept(index, at: slot)
        counters.accepted &+= 1
        return size
    }

    /// Opens a packet of an unknown source. Only an authentic packet adds the source, so that nobody without the keys
    /// can fill the table.
    private mutating func unprotectFirst(
        _ packet: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, _ header: RTPHeader
    ) -> Int? {
        guard !receiving.isFull else {
            counters.tooManySources &+= 1
            return nil
        }
        let number = UInt64(header.sequenceNumber.rawValue)
        var index = number
        var size = opener.openRTP(packet, into: memory, headerLength: header.length, index: index)
        if size == nil, number < 0x8000 {
            // The stream may have started shortly before its sequence number wrapped, with its first packets lost.
            index = 1 << 16 | number
            size = opener.openRTP(packet, into: memory, headerLength: header.length, index: index)
        }
        guard let size else {
            counters.authenticationFailed &+= 1
            return nil
        }
        receiving.insert(header.ssrc.rawValue, index: index)
        counters.accepted &+= 1
        return size
    }

    /// Opens a packet that seems too old, or whose source's last packet was not authentic.
    ///
    /// Either it is noise, or the estimated rollover counter is wrong: after a loss of more than 2¹⁵ packets, as during
    /// an outage, it would stay wrong forever. So a later counter is tried too, a different one each time.
    private mutating func unprotectResynchronizing(
        _ packet: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, _ header: RTPHeader,
        _ index: UInt64, _ slot: Int, isTooOld: Bool
    ) -> Int? {
        let turns = max(receiving[slot].failures, 1)
        if !isTooOld, index >> 48 == 0,
            let size = opener.openRTP(packet, into: memory, headerLength: header.length, index: index)
        {
            receiving.accept(index, at: slot)
            counters.accepted &+= 1
            return size
        }
        let later = index &+ UInt64(turns) << 16
        if later >> 48 == 0,
            let size = opener.openRTP(packet, into: memory, headerLength: header.length, index: later)
        {
            receiving.accept(later, at: slot)
            counters.accepted &+= 1
            counters.resynchronized &+= 1
            return size
        }
        receiving[slot].failures = turns % 4 + 1
        if isTooOld { counters.replayed &+= 1 } else { counters.authenticationFailed &+= 1 }
        return nil
    }

    // MARK: RTCP

    /// Protects a compound RTCP packet in place, encrypted.
    ///
    /// - Parameters:
    ///   - packet: The packet and, behind it, room for ``rtcpOverhead`` bytes.
    ///   - count: The packet's size.
    /// - Returns: The size of the protected packet. `nil`, and counted, when there is no room, the packet is malformed,
    ///   or 2³¹ were sent with these keys.
    @usableFromInline package mutating func protectRTCP(_ packet: UnsafeMutableRawBufferPointer, count: Int) -> Int? {
        guard count >= Self.rtcpHeaderLength, count <= packet.count - profile.rtcpOverhead, packet[0] >> 6 == 2,
            nextRTCPIndex >> 31 == 0
        else {
            counters.unfitForSending &+= 1
            return nil
        }
        let index = nextRTCPIndex
        nextRTCPIndex &+= 1
        let size = sealer.sealRTCP(packet, count: count, index: index, isEncrypted: true)
        if size == nil { counters.unfitForSending &+= 1 } else { counters.protected &+= 1 }
        return size
    }

    /// Opens an SRTCP packet in place, encrypted or authenticated only.
    ///
    /// - Parameter packet: All of the datagram.
    /// - Returns: The size of the compound RTCP packet at the start of `packet`, or `nil` when it was dropped and
    ///   counted.
    @usableFromInline package mutating func unprotectRTCP(_ packet: UnsafeMutableRawBufferPointer) -> Int? {
        let bytes = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(packet))
        guard packet.count >= Self.rtcpHeaderLength + profile.rtcpOverhead, packet[0] >> 6 == 2,
            let ssrc = bytes.uint32(at: 4),
            let word = bytes.uint32(at: packet.count - profile.rtcpIndexDistanceFromEnd)
        else {
            counters.malformed &+= 1
            return nil
        }
        let index = UInt64(word & 0x7FFF_FFFF)
        let slot = receivingRTCP.find(ssrc)
        if let slot {
            guard receivingRTCP.verdict(on: index, at: slot) == .new else {
                counters.replayed &+= 1
                return nil
            }
        } else if receivingRTCP.isFull {
            counters.tooManySources &+= 1
            return nil
        }
        guard let size = opener.openRTCP(packet) else {
            counters.authenticationFailed &+= 1
            return nil
        }
        if let slot { receivingRTCP.accept(index, at: slot) } else { receivingRTCP.insert(ssrc, index: index) }
        counters.accepted &+= 1
        return size
    }

    /// The part of a compound RTCP packet that is never encrypted (RFC 3711, section 3.4).
    private static let rtcpHeaderLength = 8
}
