import RTCTransport

/// The SRTP layout without its cryptography: a mask in place of encryption, a checksum in place of authentication.
///
/// Lengths and the positions of tag and index match the profile, so a simulated call sends as many bytes as a real one.
final class StandInSRTPCipher: SRTPCipher {
    private let tagLength: Int
    private let indexDistanceFromEnd: Int
    private let key: UInt64

    init(profile: SRTPProfile, masterKey: [UInt8], masterSalt: [UInt8]) {
        tagLength = profile.tagLength
        indexDistanceFromEnd = profile.rtcpIndexDistanceFromEnd
        var hash = masterKey.withUnsafeBytes { StandInHash(key: $0) }
        hash.absorb(masterSalt)
        hash.absorb(UInt64(profile.rawValue))
        key = hash.word(0)
    }

    // MARK: RTP

    func sealRTP(_ packet: UnsafeMutableRawBufferPointer, count: Int, headerLength: Int, index: UInt64) -> Int? {
        let number = index << 1
        mask(packet, headerLength..<count, number)
        write(tag(of: packet, count, number), to: packet, at: count)
        return count + tagLength
    }

    func openRTP(
        _ packet: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, headerLength: Int, index: UInt64
    ) -> Int? {
        let count = packet.count - tagLength
        let number = index << 1
        memory.copyMemory(from: packet)
        guard has(tag(of: memory, count, number), memory, at: count) else { return nil }
        mask(memory, headerLength..<count, number)
        return count
    }

    // MARK: RTCP

    func sealRTCP(_ packet: UnsafeMutableRawBufferPointer, count: Int, index: UInt32, isEncrypted: Bool) -> Int? {
        let word = isEncrypted ? index | 0x8000_0000 : index
        let size = count + tagLength + 4
        let number = UInt64(word) << 1 | 1
        if isEncrypted { mask(packet, 8..<count, number) }
        let tag = tag(of: packet, count, number)
        let wordStart = size - indexDistanceFromEnd
        write(tag, to: packet, at: wordStart == count ? count + 4 : count)
        packet.storeBytes(of: word.bigEndian, toByteOffset: wordStart, as: UInt32.self)
        return size
    }

    func openRTCP(_ packet: UnsafeMutableRawBufferPointer) -> Int? {
        let count = packet.count - tagLength - 4
        let wordStart = packet.count - indexDistanceFromEnd
        let word = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: wordStart, as: UInt32.self))
        let number = UInt64(word) << 1 | 1
        guard has(tag(of: packet, count, number), packet, at: wordStart == count ? count + 4 : count) else {
            return nil
        }
        if word >> 31 == 1 { mask(packet, 8..<count, number) }
        return count
    }

    // MARK: Mask and checksum

    /// Masks or unmasks the bytes in `range`.
    private func mask(_ packet: UnsafeMutableRawBufferPointer, _ range: Range<Int>, _ number: UInt64) {
        StandInHash.mask(UnsafeMutableRawBufferPointer(rebasing: packet[range]), key: key, number: number)
    }

    private func tag(of packet: UnsafeMutableRawBufferPointer, _ count: Int, _ number: UInt64) -> StandInHash {
        var hash = StandInHash(state: key)
        hash.absorb(number)
        hash.absorb(UnsafeRawBufferPointer(rebasing: packet[..<count]))
        return hash
    }

    private func write(_ tag: StandInHash, to packet: UnsafeMutableRawBufferPointer, at start: Int) {
        for place in 0..<tagLength { packet[start + place] = tag.byte(place) }
    }

    private func has(_ tag: StandInHash, _ packet: UnsafeMutableRawBufferPointer, at start: Int) -> Bool {
        for place in 0..<tagLength where packet[start + place] != tag.byte(place) { return false }
        return true
    }
}

extension StandInHash {
    fileprivate func byte(_ place: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: word(UInt64(place / 8)) >> UInt64(place % 8 * 8))
    }
}
