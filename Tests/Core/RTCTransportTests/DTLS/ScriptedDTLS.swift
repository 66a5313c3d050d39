import RTCTransport
import RTCWire

/// A provider whose digest is the message itself, padded, and whose sessions do as they are told.
final class ScriptedDTLSCrypto: CryptoProvider {
    var sessions: [ScriptedDTLSSession] = []
    var refusal: CryptoError?
    var configurations: [DTLSConfiguration] = []

    func digest(_ algorithm: DigestAlgorithm, of message: RawSpan) -> [UInt8]? {
        let bytes = message.array.prefix(algorithm.byteCount)
        return bytes + [UInt8](repeating: UInt8(algorithm.byteCount), count: algorithm.byteCount - bytes.count)
    }

    func hmac(_ algorithm: HMACAlgorithm, key: [UInt8], message: RawSpan) -> [UInt8] { [] }

    func makeDTLSSession(_ configuration: DTLSConfiguration) throws(CryptoError) -> any DTLSSession {
        if let refusal { throw refusal }
        configurations.append(configuration)
        let session = ScriptedDTLSSession()
        sessions.append(session)
        return session
    }

    func makeSRTPCipher(
        profile: SRTPProfile, masterKey: [UInt8], masterSalt: [UInt8]
    ) throws(CryptoError) -> any SRTPCipher {
        throw CryptoError("The scripted provider has no SRTP.")
    }
}

/// A session that notes what it is given. A test moves its state.
final class ScriptedDTLSSession: DTLSSession {
    var state = DTLSSessionState.idle
    var nextDeadline: Instant?
    var role: DTLSRole?
    var received: [[UInt8]] = []
    var accepts: (([UInt8]) -> Bool)?
    var readable: [[UInt8]] = []
    var sealOverhead = 1
    var srtpProfile: SRTPProfile?
    var parameters: DTLSParameters?
    var droppedRecords = 0
    var timeouts: [Instant] = []

    func start(as role: DTLSRole, at now: Instant) {
        self.role = role
        state = .handshaking
    }

    func receive(_ datagram: RawSpan, at now: Instant) { received.append(datagram.array) }

    func handleTimeout(at now: Instant) { timeouts.append(now) }

    func verifyPeer(_ accepts: @escaping ([UInt8]) -> Bool) { self.accepts = accepts }

    func pollTransmit(into batch: inout TransmitBatch) -> Bool { false }

    func readApplicationData(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard !readable.isEmpty else { return nil }
        let record = readable.removeFirst()
        buffer.copyBytes(from: record)
        return record.count
    }

    func seal(_ plaintext: UnsafeRawBufferPointer, into batch: inout TransmitBatch) -> Bool { batch.append(plaintext) }

    /// Counting bytes, so that a test sees how they are split.
    func exportKeyingMaterial(label: String, count: Int) -> [UInt8]? {
        label == "EXTRACTOR-dtls_srtp" ? (0..<count).map { UInt8($0) } : nil
    }

    func close(at now: Instant) { state = .closed }
}

final class ScriptedDTLSCertificate: LocalCertificate {
    let der: [UInt8] = [1, 2, 3]
    let expiry: Int64 = 0
}
