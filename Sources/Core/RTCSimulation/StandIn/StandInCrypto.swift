package import RTCTransport
import RTCWire

/// Cryptography for simulations: fast, repeatable, and without any security.
///
/// Both peers of a simulation need it, each its own provider with its own seed. Its output has the lengths, flights,
/// overhead and failures of real cryptography: digests and HMACs are a keyed hash of the right length, certificates are
/// random bytes, and its DTLS sessions and SRTP ciphers interoperate only with each other. All of it can be forged, so
/// it must not be used in a program that connects to a real peer.
package final class StandInCrypto: CryptoProvider {
    /// Bytes of the certificates that ``makeCertificate(expiry:)`` makes: about those of an ECDSA P-256 one.
    package var certificateSize = 320
    /// Least bytes of a client's first flight. With the 1,400 of a post-quantum key share it needs two datagrams.
    package var clientHelloSize = 220

    private var random: SimulationRandom

    /// - Parameter seed: Decides about every certificate and hello. Different for each peer.
    package init(seed: UInt64) {
        random = SimulationRandom(seed: seed, stream: 0xC0DE)
    }

    /// A new certificate.
    ///
    /// - Parameter expiry: In seconds since 1970.
    package func makeCertificate(expiry: Int64 = 4_102_444_800) -> StandInCertificate {
        StandInCertificate(der: randomBytes(max(16, min(certificateSize, 8_192))), expiry: expiry)
    }

    package func digest(_ algorithm: DigestAlgorithm, of message: RawSpan) -> [UInt8]? {
        var hash = StandInHash(state: UInt64(algorithm.byteCount))
        message.withUnsafeBytes { hash.absorb($0) }
        return hash.bytes(algorithm.byteCount)
    }

    package func hmac(_ algorithm: HMACAlgorithm, key: [UInt8], message: RawSpan) -> [UInt8] {
        var hash = key.withUnsafeBytes { StandInHash(key: $0) }
        message.withUnsafeBytes { hash.absorb($0) }
        switch algorithm {
        case .sha1: return hash.bytes(20)
        case .sha256: return hash.bytes(32)
        }
    }

    package func makeDTLSSession(_ configuration: DTLSConfiguration) throws(CryptoError) -> any DTLSSession {
        guard let certificate = configuration.certificate as? StandInCertificate else {
            throw CryptoError("The certificate is not a stand-in: make it with StandInCrypto.makeCertificate().")
        }
        guard configuration.minimumVersion <= configuration.maximumVersion else {
            throw CryptoError("The minimum version of DTLS is above the maximum: exchange them.")
        }
        return StandInDTLSSession(
            configuration, certificate: certificate.der, random: randomBytes(32), clientHelloSize: clientHelloSize)
    }

    package func makeSRTPCipher(
        profile: SRTPProfile, masterKey: [UInt8], masterSalt: [UInt8]
    ) throws(CryptoError) -> any SRTPCipher {
        guard masterKey.count == profile.keyLength, masterSalt.count == profile.saltLength else {
            throw CryptoError("The master key or salt has not the length of \(profile)'s.")
        }
        return StandInSRTPCipher(profile: profile, masterKey: masterKey, masterSalt: masterSalt)
    }

    private func randomBytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { bytes.append(bigEndian: random.next()) }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

/// A certificate of random bytes.
package final class StandInCertificate: LocalCertificate {
    package let der: [UInt8]
    package let expiry: Int64

    package init(der: [UInt8], expiry: Int64) {
        self.der = der
        self.expiry = expiry
    }
}

extension DigestAlgorithm {
    fileprivate var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}
