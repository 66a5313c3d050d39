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
        mask(UnsafeMutableRawBufferPointer(rebasing: packet[headerLength..<count]), number)
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
        mask(UnsafeMutableRawBufferPointer(rebasing: memory[headerLength..<count]), number)
        return count
    }

    // MARK: RTCP

    func sealRTCP(_ packet: UnsafeMutableRawBufferPointer, count: Int, index: UInt32, isEncrypted: Bool) -> Int? {
        let word = isEncrypted ? index | 0x8000_0000 : index
        let size = count + tagLength + 4
        let number = UInt64(word) << 1 | 1
        if isEncrypted { mask(UnsafeMutableRawBufferPointer(rebasing: packet[8..<count]), number) }
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
        if word >> 31 == 1 { mask(UnsafeMutableRawBufferPointer(rebasing: packet[8..<count]), number) }
        return count
    }

    // MARK: Mask and checksum

    /// Masks or unmasks bytes.
    private func mask(_ bytes: UnsafeMutableRawBufferPointer, _ number: UInt64) {
        var counter = key ^ (number &* 0x9E37_79B9_7F4A_7C15)
        var offset = 0
        while bytes.count - offset >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let masked = word ^ StandInHash.fold(counter, 0xE703_7ED1_A0B4_28DB)
            bytes.storeBytes(of: masked.littleEndian, toByteOffset: offset, as: UInt64.self)
            counter &+= 0xA076_1D64_78BD_642F
            offset += 8
        }
        var rest = StandInHash.fold(counter, 0xE703_7ED1_A0B4_28DB)
        while offset < bytes.count {
            bytes[offset] ^= UInt8(truncatingIfNeeded: rest)
            rest >>= 8
            offset += 1
        }
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
