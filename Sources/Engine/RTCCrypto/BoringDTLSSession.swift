internal import CNIOBoringSSL
internal import RTCTransport
internal import RTCWire

/// A DTLS endpoint on BoringSSL (RFC 9147, RFC 6347).
///
/// The library reads and writes datagrams through our BIO and gets the time from the `Instant` of each call, so it
/// never accesses a socket or a clock. A received datagram stays decrypted in the library's buffer until it is read, so
/// the session needs no buffer: between calls, a connected session holds little more than keys.
final class BoringDTLSSession: DTLSSession {
    private(set) var state: DTLSSessionState = .idle
    private(set) var nextDeadline: Instant?
    private(set) var droppedRecords = 0
    private(set) var sealOverhead = 0

    /// A simplified `state` for the packet path, without payload.
    private enum Phase {
        case idle, handshaking, connected, ended
    }
    private var phase = Phase.idle
    private let ssl: OpaquePointer
    private let pipe: UnsafeMutablePointer<DatagramPipe>
    private var epoch = Instant.zero
    private let handshakeTimeout: TimeDelta
    /// The time at which the library needs to be called again.
    private var libraryDeadline: Instant?

    private var verifier: (([UInt8]) -> Bool)?
    private var isWaitingForVerdict = false
    private var didReject = false

    /// Datagrams that arrived while the handshake waited for the verification of the peer's certificate.
    private var waiting = DatagramQueue(maximumCount: 16, maximumBytes: 24 * 1_024)
    /// Application data that arrived before the end of the handshake, or that the owner has not read yet.
    private var early = DatagramQueue(maximumCount: 16, maximumBytes: 24 * 1_024)

    /// The number of records after which the sending keys are replaced; in DTLS 1.3 only.
    private let keyUpdateInterval: Int
    private var recordsUntilKeyUpdate = Int.max

    /// The alert that ended the session, repeated if the peer continues.
    private var closingAlert: [UInt8]?
    private var closingAlertsLeft = 8

    /// Far below the limit of 2^24.5 records per AES-GCM key (RFC 9147, section 4.5.3).
    static let defaultKeyUpdateInterval = 1 << 23

    init(
        _ configuration: DTLSConfiguration, keyShare: KeyShare, keyUpdateInterval: Int = defaultKeyUpdateInterval
    ) throws(CryptoError) {
        ERR_clear_error()
        guard let certificate = configuration.certificate as? Certificate else {
            throw CryptoError("the certificate is of another provider: use RTCCrypto's Certificate")
        }
        guard let context = SharedContext.shared.pointer, let ssl = SSL_new(context) else {
            throw CryptoError(attempting: "making a DTLS connection")
        }
        do throws(CryptoError) {
            try Self.configure(ssl, configuration, certificate, keyShare)
        } catch {
            SSL_free(ssl)
            throw error
        }
        guard let bio = BIO_new(DatagramPipe.method.pointer) else {
            SSL_free(ssl)
            throw CryptoError(attempting: "making a DTLS connection")
        }
        self.ssl = ssl
        handshakeTimeout = configuration.handshakeTimeout
        self.keyUpdateInterval = keyUpdateInterval
        pipe = .allocate(capacity: 1)
        pipe.initialize(to: DatagramPipe())
        BIO_set_data(bio, pipe)
        BIO_set_init(bio, 1)
        SSL_set_bio(ssl, bio, bio)
        pipe.pointee.session = self
    }

    deinit {
        SSL_free(ssl)
        if CurrentCall.pipe == pipe { CurrentCall.set(nil) }
        pipe.deinitialize(count: 1)
        pipe.deallocate()
    }

    private static func configure(
        _ ssl: OpaquePointer, _ configuration: DTLSConfiguration, _ certificate: Certificate, _ keyShare: KeyShare
    ) throws(CryptoError) {
        guard configuration.minimumVersion <= configuration.maximumVersion else {
            throw CryptoError("the least DTLS version is above the highest")
        }
        guard SSL_set_min_proto_version(ssl, configuration.minimumVersion.number) == 1,
            SSL_set_max_proto_version(ssl, configuration.maximumVersion.number) == 1
        else { throw CryptoError(attempting: "setting the DTLS versions") }
        guard let mtu = UInt32(exactly: configuration.maximumDatagramSize), SSL_set_mtu(ssl, mtu) == 1 else {
            throw CryptoError("maximumDatagramSize is too small for DTLS: 1,200 bytes is a good value")
        }
        guard SSL_add1_credential(ssl, certificate.credential) == 1 else {
            throw CryptoError(attempting: "using the certificate")
        }
        let groups = keyShare.groups
        guard keyShare == .classical || SSL_set1_group_ids(ssl, groups + KeyShare.others, groups.count + 2) == 1,
            SSL_set1_client_key_shares(ssl, groups, groups.count) == 1
        else { throw CryptoError(attempting: "setting the key shares") }
        if !configuration.srtpProfiles.isEmpty {
            let names = configuration.srtpProfiles.map(\.libraryName).joined(separator: ":")
            guard SSL_set_srtp_profiles(ssl, names) == 1 else {
                throw CryptoError(attempting: "setting the SRTP profiles")
            }
        }
        let milliseconds = max(1, min(configuration.initialTimeout.milliseconds, 60_000))
        DTLSv1_set_initial_timeout_duration(ssl, UInt32(milliseconds))
        // Frees memory needed only for the handshake.
        SSL_set_shed_handshake_config(ssl, 1)
    }

    // MARK: Handshake

    func start(as role: DTLSRole, at now: Instant) {
        guard phase == .idle else { return }
        epoch = now
        phase = .handshaking
        state = .handshaking
        switch role {
        case .client: SSL_set_connect_state(ssl)
        case .server: SSL_set_accept_state(ssl)
        }
        enter(at: now)
        advanceHandshake()
        refreshDeadline()
    }

    func verifyPeer(_ accepts: @escaping ([UInt8]) -> Bool) {
        guard phase == .idle || phase == .handshaking else { return }
        verifier = accepts
        guard isWaitingForVerdict else { return }
        isWaitingForVerdict = false
        // There is no new time; that of the last call remains valid.
        CurrentCall.set(pipe)
        advanceHandshake()
        while phase == .handshaking, !isWaitingForVerdict, let datagram = waiting.popFirst() {
            datagram.withUnsafeBytes { handshake(with: $0) }
        }
        while phase == .connected, let datagram = waiting.popFirst() {
            datagram.withUnsafeBytes { holdEarlyDatagram($0) }
        }
        refreshDeadline()
    }

    /// Verifies the peer's certificate; `nil` while there is no verifier.
    func judgePeer() -> Bool? {
        guard let verifier else { return nil }
        guard let chain = SSL_get0_peer_certificates(ssl), let leaf = sk_CRYPTO_BUFFER_value(chain, 0),
            let bytes = CRYPTO_BUFFER_data(leaf)
        else { return false }
        let accepted = verifier(Array(UnsafeBufferPointer(start: bytes, count: CRYPTO_BUFFER_len(leaf))))
        didReject = !accepted
        return accepted
    }

    private func advanceHandshake() {
        let result = SSL_do_handshake(ssl)
        if result == 1 {
            finishHandshake()
            return
        }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: break
        case SSL_ERROR_WANT_CERTIFICATE_VERIFY: isWaitingForVerdict = true
        case SSL_ERROR_ZERO_RETURN: end(.closed)
        default: fail()
        }
    }

    private func finishHandshake() {
        phase = .connected
        state = .connected
        verifier = nil
        sealOverhead = SSL_max_seal_overhead(ssl)
        if SSL_version(ssl) == DTLS1_3_VERSION { recordsUntilKeyUpdate = keyUpdateInterval }
    }

    private func handshake(with datagram: UnsafeRawBufferPointer) {
        let before = readPosition
        pipe.pointee.incoming = datagram
        advanceHandshake()
        pipe.pointee.incoming = UnsafeRawBufferPointer(start: nil, count: 0)
        if phase == .handshaking, readPosition == before { droppedRecords &+= 1 }
    }

    // MARK: Datagrams and time

    func receive(_ datagram: RawSpan, at now: Instant) {
        guard datagram.byteCount > 0 else { return }
        enter(at: now)
        datagram.withUnsafeBytes { datagram in
            switch phase {
            case .connected:
                // The library takes the next datagram only after the previous one was read.
                if SSL_has_pending(ssl) != 0 || !early.isEmpty { holdEarlyDatagram(datagram) } else { open(datagram) }
            case .handshaking:
                if !Self.isRecord(datagram) {
                    droppedRecords &+= 1
                } else if Self.isApplicationData(datagram) {
                    holdEarlyDatagram(datagram)
                } else if isWaitingForVerdict {
                    if !waiting.append(datagram) { droppedRecords &+= 1 }
                } else {
                    handshake(with: datagram)
                }
            case .idle:
                droppedRecords &+= 1
            case .ended:
                repeatClosingAlert()
            }
        }
        if pipe.pointee.clockWasRead || libraryDeadline != nil { refreshDeadline() }
    }

    func handleTimeout(at now: Instant) {
        guard phase == .handshaking || phase == .connected else { return }
        enter(at: now)
        if phase == .handshaking, now >= epoch + handshakeTimeout {
            end(.failed(.timedOut))
            return
        }
        if DTLSv1_handle_timeout(ssl) < 0 { fail() }
        refreshDeadline()
    }

    func pollTransmit(into batch: inout TransmitBatch) -> Bool {
        guard !pipe.pointee.outgoing.isEmpty else { return false }
        return pipe.pointee.outgoing.drain(into: &batch)
    }

    func close(at now: Instant) {
        switch phase {
        case .idle, .handshaking:
            end(.closed)
        case .connected:
            enter(at: now)
            keepClosingAlert()
        case .ended:
            break
        }
    }

    /// Sets the clock that the library will see during this call.
    private func enter(at now: Instant) {
        pipe.pointee.clock = max(0, (now - epoch).microseconds)
        pipe.pointee.clockWasRead = false
        CurrentCall.set(pipe)
    }

    private func refreshDeadline() {
        guard phase == .handshaking || phase == .connected else { return }
        var left = timeval()
        if DTLSv1_get_timeout(ssl, &left) == 1 {
            // Rounded up, since `clock` was rounded down and an early call would have no effect.
            let microseconds = pipe.pointee.clock + Int64(left.tv_sec) * 1_000_000 + Int64(left.tv_usec) + 1
            libraryDeadline = epoch + .microseconds(microseconds)
        } else {
            libraryDeadline = nil
        }
        guard phase == .handshaking else {
            nextDeadline = libraryDeadline
            return
        }
        nextDeadline = min(epoch + handshakeTimeout, libraryDeadline ?? .distantFuture)
    }

    // MARK: Application data

    func readApplicationData(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while phase == .connected {
            if SSL_has_pending(ssl) != 0 {
                CurrentCall.set(pipe)
                pipe.pointee.clockWasRead = false
                let before = readPosition
                let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
                if count <= 0 { nothingRead(count, since: before) }
                if pipe.pointee.clockWasRead { refreshDeadline() }
                if count > 0 { return Int(count) }
            } else if let datagram = early.popFirst() {
                CurrentCall.set(pipe)
                datagram.withUnsafeBytes { open($0) }
                refreshDeadline()
            } else {
                return nil
            }
        }
        return nil
    }

    func seal(_ plaintext: UnsafeRawBufferPointer, into batch: inout TransmitBatch) -> Bool {
        guard phase == .connected, !plaintext.isEmpty, plaintext.count <= Int(SSL3_RT_MAX_PLAIN_LENGTH),
            batch.room >= plaintext.count + sealOverhead
        else { return false }
        CurrentCall.set(pipe)
        pipe.pointee.sealed = 0
        pipe.pointee.sealTarget = batch.next
        let written = SSL_write(ssl, plaintext.baseAddress, Int32(plaintext.count))
        let sealed = pipe.pointee.sealed
        pipe.pointee.sealTarget = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        guard written > 0, sealed > 0 else {
            ERR_clear_error()
            return false
        }
        recordsUntilKeyUpdate -= 1
        if recordsUntilKeyUpdate == 0 { updateKeys() }
        return batch.commit(sealed)
    }

    /// Sends a KeyUpdate. The new keys are used once the peer has acknowledged it; until then it is retransmitted.
    private func updateKeys() {
        recordsUntilKeyUpdate = keyUpdateInterval
        guard SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1, SSL_has_pending(ssl) == 0 else {
            ERR_clear_error()
            return
        }
        // Reading without input makes the library send the message.
        var byte: UInt8 = 0
        _ = SSL_peek(ssl, &byte, 1)
        ERR_clear_error()
        refreshDeadline()
    }

    /// Decrypts the first record of a datagram, which then stays in the library's buffer.
    private func open(_ datagram: UnsafeRawBufferPointer) {
        let before = readPosition
        pipe.pointee.incoming = datagram
        var byte: UInt8 = 0
        let count = SSL_peek(ssl, &byte, 1)
        pipe.pointee.incoming = UnsafeRawBufferPointer(start: nil, count: 0)
        if count <= 0 { nothingRead(count, since: before) }
    }

    private func nothingRead(_ result: Int32, since before: ReadPosition) {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ:
            if readPosition == before { droppedRecords &+= 1 }
        case SSL_ERROR_ZERO_RETURN:
            // The peer's close_notify ends both directions, since all protocols above DTLS end with it.
            keepClosingAlert()
        default:
            fail()
        }
    }

    private func holdEarlyDatagram(_ datagram: UnsafeRawBufferPointer) {
        if !early.append(datagram) { droppedRecords &+= 1 }
    }

    /// Whether a datagram starts like a record of a known type. Without keys, the library would fail the handshake for
    /// any other, so noise must not reach it.
    private static func isRecord(_ datagram: UnsafeRawBufferPointer) -> Bool {
        switch datagram[0] {
        case 20...23, 26, 0x20...0x3f: true
        default: false
        }
    }

    /// Whether a datagram starts with application data, as far as visible: epoch 3 of DTLS 1.3, or the content type in
    /// DTLS 1.2. The library would drop it before the end of the handshake.
    private static func isApplicationData(_ datagram: UnsafeRawBufferPointer) -> Bool {
        datagram[0] & 0xe3 == 0x23 || datagram[0] == UInt8(SSL3_RT_APPLICATION_DATA)
    }

    /// The position in the peer's records, which advances with each authentic record that is not late.
    private var readPosition: ReadPosition {
        let epoch = SSL_get_dtls_read_epoch(ssl)
        return ReadPosition(epoch: epoch, sequence: SSL_get_dtls_read_sequence(ssl, epoch))
    }

    private struct ReadPosition: Equatable {
        var epoch: UInt16
        var sequence: UInt64
    }

    // MARK: Closing

    private func keepClosingAlert() {
        SSL_shutdown(ssl)
        ERR_clear_error()
        closingAlert = pipe.pointee.outgoing.last
        end(.closed)
    }

    /// Ends the session with the error from the library.
    private func fail() {
        let error = LibraryError()
        if didReject {
            closingAlert = pipe.pointee.outgoing.last
            end(.failed(.certificateRejected))
        } else if let alert = error.alert {
            end(.failed(.alert(alert)))
        } else if error.reason == SSL_R_READ_TIMEOUT_EXPIRED {
            end(.failed(.timedOut))
        } else {
            closingAlert = pipe.pointee.outgoing.last
            end(.failed(.handshake(error.text)))
        }
    }

    private func end(_ last: DTLSSessionState) {
        phase = .ended
        state = last
        nextDeadline = nil
        libraryDeadline = nil
        verifier = nil
        isWaitingForVerdict = false
        waiting.removeAll()
        early.removeAll()
    }

    /// Repeats the last alert for a peer that continues: alerts are not retransmitted (RFC 9147, section 5.10).
    private func repeatClosingAlert() {
        guard let closingAlert, closingAlertsLeft > 0, pipe.pointee.outgoing.isEmpty else { return }
        closingAlertsLeft -= 1
        closingAlert.withUnsafeBytes { _ = pipe.pointee.outgoing.append($0) }
    }

    // MARK: Negotiated parameters

    func exportKeyingMaterial(label: String, count: Int) -> [UInt8]? {
        guard phase == .connected, count > 0 else { return nil }
        ERR_clear_error()
        var label = label
        let material = label.withUTF8 { label in
            [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
                let done = label.withMemoryRebound(to: CChar.self) {
                    SSL_export_keying_material(ssl, bytes.baseAddress, count, $0.baseAddress, $0.count, nil, 0, 0)
                }
                initialized = done == 1 ? count : 0
            }
        }
        return material.isEmpty ? nil : material
    }

    var srtpProfile: SRTPProfile? {
        guard let profile = SSL_get_selected_srtp_profile(ssl) else { return nil }
        return SRTPProfile(rawValue: UInt16(truncatingIfNeeded: profile.pointee.id))
    }

    var parameters: DTLSParameters? {
        guard let cipher = SSL_get_current_cipher(ssl), let name = SSL_CIPHER_standard_name(cipher) else { return nil }
        let version: DTLSVersion = SSL_version(ssl) == DTLS1_3_VERSION ? .v13 : .v12
        return DTLSParameters(version: version, cipherSuite: String(cString: name))
    }
}

extension DTLSVersion {
    /// The library's value, which is the same as on the wire.
    fileprivate var number: UInt16 {
        switch self {
        case .v12: UInt16(DTLS1_2_VERSION)
        case .v13: UInt16(DTLS1_3_VERSION)
        }
    }
}
