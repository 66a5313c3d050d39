import RTCSimulation
import RTCTransport
import RTCWire

/// The stand-in's cryptography, but for SRTP, which protects nothing here: the other peer has the keys, so that whatever it makes
/// of a packet is genuine. What is changed on its way reaches the media, and is not dropped at its door.
final class OpenCrypto: CryptoProvider {
    private let standIn: StandInCrypto

    init(seed: UInt64) {
        standIn = StandInCrypto(seed: seed)
    }

    func makeCertificate() -> StandInCertificate { standIn.makeCertificate() }

    func digest(_ algorithm: DigestAlgorithm, of message: RawSpan) -> [UInt8]? {
        standIn.digest(algorithm, of: message)
    }

    func hmac(_ algorithm: HMACAlgorithm, key: [UInt8], message: RawSpan) -> [UInt8] {
        standIn.hmac(algorithm, key: key, message: message)
    }

    func makeDTLSSession(_ configuration: DTLSConfiguration) throws(CryptoError) -> any DTLSSession {
        try standIn.makeDTLSSession(configuration)
    }

    func makeSRTPCipher(
        profile: SRTPProfile, masterKey: [UInt8], masterSalt: [UInt8]
    ) throws(CryptoError) -> any SRTPCipher { OpenCipher(profile) }
}

/// SRTP's layout with a tag of zeros, and any tag is good.
private final class OpenCipher: SRTPCipher {
    private let profile: SRTPProfile

    init(_ profile: SRTPProfile) {
        self.profile = profile
    }

    func sealRTP(_ packet: UnsafeMutableRawBufferPointer, count: Int, headerLength: Int, index: UInt64) -> Int? {
        let size = count + profile.rtpOverhead
        for place in count..<size { packet[place] = 0 }
        return size
    }

    func openRTP(
        _ packet: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, headerLength: Int, index: UInt64
    ) -> Int? {
        memory.copyMemory(from: packet)
        return packet.count - profile.rtpOverhead
    }

    func sealRTCP(_ packet: UnsafeMutableRawBufferPointer, count: Int, index: UInt32, isEncrypted: Bool) -> Int? {
        let size = count + profile.rtcpOverhead
        for place in count..<size { packet[place] = 0 }
        let word = index | (isEncrypted ? 0x8000_0000 : 0)
        packet.storeBytes(
            of: word.bigEndian, toByteOffset: size - profile.rtcpIndexDistanceFromEnd, as: UInt32.self)
        return size
    }

    func openRTCP(_ packet: UnsafeMutableRawBufferPointer) -> Int? { packet.count - profile.rtcpOverhead }
}
