import RTCTransport
import RTCWire
import Testing

/// A provider whose SRTP ciphers write down what they authenticate: a tag is a sum over key, packet and index.
final class SRTPTestCrypto: CryptoProvider {
    func digest(_ algorithm: DigestAlgorithm, of message: RawSpan) -> [UInt8]? { nil }
    func hmac(_ algorithm: HMACAlgorithm, key: [UInt8], message: RawSpan) -> [UInt8] { [] }

    func makeDTLSSession(_ configuration: DTLSConfiguration) throws(CryptoError) -> any DTLSSession {
        throw CryptoError("The tests of SRTP have no DTLS.")
    }

    func makeSRTPCipher(
        profile: SRTPProfile, masterKey: [UInt8], masterSalt: [UInt8]
    ) throws(CryptoError) -> any SRTPCipher {
        guard let first = masterKey.first else { throw CryptoError("The key is empty.") }
        return SRTPTestCipher(profile: profile, key: first)
    }
}

/// Adds the key to what it encrypts.
final class SRTPTestCipher: SRTPCipher {
    private let profile: SRTPProfile
    private let key: UInt8
    private(set) var openings = 0

    init(profile: SRTPProfile, key: UInt8) {
        self.profile = profile
        self.key = key
    }

    func sealRTP(_ packet: UnsafeMutableRawBufferPointer, count: Int, headerLength: Int, index: UInt64) -> Int? {
        for place in headerLength..<count { packet[place] &+= key }
        for (place, byte) in tag(packet, count, index).enumerated() { packet[count + place] = byte }
        return count + profile.tagLength
    }

    func openRTP(
        _ packet: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, headerLength: Int, index: UInt64
    ) -> Int? {
        openings += 1
        let count = packet.count - profile.tagLength
        memory.copyMemory(from: packet)
        let isAuthentic = packet[count...].elementsEqual(tag(memory, count, index))
        // As with the library, what is not authentic becomes zeros.
        for place in headerLength..<packet.count { memory[place] = isAuthentic ? packet[place] &- key : 0 }
        return isAuthentic ? count : nil
    }

    func sealRTCP(_ packet: UnsafeMutableRawBufferPointer, count: Int, index: UInt32, isEncrypted: Bool) -> Int? {
        let word = isEncrypted ? index | 0x8000_0000 : index
        if isEncrypted { for place in 8..<count { packet[place] &+= key } }
        let size = count + profile.rtcpOverhead
        let wordStart = size - profile.rtcpIndexDistanceFromEnd
        let tagStart = wordStart == count ? count + 4 : count
        for (place, byte) in tag(packet, count, UInt64(word)).enumerated() { packet[tagStart + place] = byte }
        packet.storeBytes(of: word.bigEndian, toByteOffset: wordStart, as: UInt32.self)
        return size
    }

    func openRTCP(_ packet: UnsafeMutableRawBufferPointer) -> Int? {
        let count = packet.count - profile.rtcpOverhead
        let wordStart = packet.count - profile.rtcpIndexDistanceFromEnd
        let tagStart = wordStart == count ? count + 4 : count
        let word = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: wordStart, as: UInt32.self))
        let tag = tag(packet, count, UInt64(word))
        guard packet[tagStart..<tagStart + profile.tagLength].elementsEqual(tag) else { return nil }
        if word >> 31 == 1 { for place in 8..<count { packet[place] &-= key } }
        return count
    }

    private func tag(_ packet: UnsafeMutableRawBufferPointer, _ count: Int, _ number: UInt64) -> [UInt8] {
        var sum = number &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(key)
        for byte in packet[..<count] { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (0..<profile.tagLength).map { UInt8(truncatingIfNeeded: sum >> UInt64($0 % 8 * 8)) }
    }
}

/// One side of an SRTP connection, which works on copies of the packets that it is given.
final class SRTPTestEnd {
    private var session: SRTPSession
    static let ssrc: UInt32 = 0x1122_3344

    /// - Parameter key: The first byte of the sender's key: both ends of a connection have the same.
    init(
        _ role: DTLSRole, profile: SRTPProfile = .aeadAES128GCM, key: UInt8 = 5,
        crypto: any CryptoProvider = SRTPTestCrypto()
    ) throws {
        let material = (0..<profile.keyingMaterialLength).map { $0 < profile.keyLength ? key : ~key }
        let keys = try #require(SRTPKeyingMaterial(profile: profile, material: material, role: role))
        session = try SRTPSession(keyingMaterial: keys, crypto: crypto)
    }

    var counters: SRTPCounters { session.counters }

    static func rtp(_ number: Int, ssrc: UInt32 = ssrc, payload: [UInt8] = [1, 2, 3]) -> [UInt8] {
        var packet: [UInt8] = [0x80, 96]
        packet += withUnsafeBytes(of: UInt16(truncatingIfNeeded: number).bigEndian) { Array($0) }
        packet += [0, 0, 0, 1]
        packet += withUnsafeBytes(of: ssrc.bigEndian) { Array($0) }
        return packet + payload
    }

    static func rtcp(ssrc: UInt32 = ssrc) -> [UInt8] {
        [0x81, 201, 0, 7] + withUnsafeBytes(of: ssrc.bigEndian) { Array($0) } + [UInt8](repeating: 9, count: 24)
    }

    func protectRTP(_ packet: [UInt8], room: Int? = nil) -> [UInt8]? {
        var memory = packet + [UInt8](repeating: 0, count: room ?? session.rtpOverhead)
        let size = memory.withUnsafeMutableBytes { session.protectRTP($0, count: packet.count) }
        return size.map { Array(memory[..<$0]) }
    }

    func protectRTCP(_ packet: [UInt8], room: Int? = nil) -> [UInt8]? {
        var memory = packet + [UInt8](repeating: 0, count: room ?? session.rtcpOverhead)
        let size = memory.withUnsafeMutableBytes { session.protectRTCP($0, count: packet.count) }
        return size.map { Array(memory[..<$0]) }
    }

    func unprotectRTP(_ packet: [UInt8]) -> [UInt8]? {
        var memory = packet
        let size = memory.withUnsafeMutableBytes { memory in
            packet.withUnsafeBytes { session.unprotectRTP($0, into: memory) }
        }
        return size.map { Array(memory[..<$0]) }
    }

    func unprotectRTCP(_ packet: [UInt8]) -> [UInt8]? {
        var memory = packet
        let size = memory.withUnsafeMutableBytes { session.unprotectRTCP($0) }
        return size.map { Array(memory[..<$0]) }
    }

    /// The protected packets with these numbers, which go past 2¹⁶ where the sequence number wraps.
    func seal(_ numbers: some Sequence<Int>, ssrc: UInt32 = ssrc) throws -> [[UInt8]] {
        try numbers.map { try #require(protectRTP(Self.rtp($0, ssrc: ssrc))) }
    }
}
