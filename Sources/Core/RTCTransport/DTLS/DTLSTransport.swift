public import RTCWire

/// The DTLS association of one peer, between ICE and SCTP or SRTP (RFC 8827, RFC 8842).
///
/// It combines a ``DTLSSession`` with the signalled parameters: the fingerprints of the peer's certificate, and which
/// side begins. Three inputs arrive in any order: the remote description (``setRemote(fingerprints:role:tlsID:at:)``),
/// a path (``start(at:roundTripTime:)``) and the peer's first datagrams, which are held until the other two are known.
///
/// No application data pass in either direction before the peer's certificate has matched a fingerprint.
@usableFromInline package struct DTLSTransport {
    /// The limits for datagrams held before the session starts.
    static let maximumHeldDatagrams = 8
    static let maximumHeldBytes = 16 * 1_024

    /// The state of the transport.
    package private(set) var state: DTLSTransportState = .new
    /// This side's role, once known.
    package private(set) var role: DTLSRole?
    /// The fingerprints that the remote description announced.
    @usableFromInline package private(set) var remoteFingerprints: [Fingerprint] = []
    /// The `tls-id` that the remote description announced (RFC 8842, section 4).
    @usableFromInline package private(set) var remoteTLSID: String?

    private let configuration: DTLSConfiguration
    private let crypto: any CryptoProvider
    private var session: (any DTLSSession)?
    private var peerCertificate: PeerCertificate?
    private var isPathReady = false
    private var roundTripTime: TimeDelta?
    private var held: [[UInt8]] = []
    private var heldBytes = 0
    private var droppedWhileHeld = 0
    private var events: [DTLSEvent] = []

    /// A transport that waits for a remote description and a path. Costs no session until it has both.
    package init(configuration: DTLSConfiguration, crypto: any CryptoProvider) {
        self.configuration = configuration
        self.crypto = crypto
    }

    /// The fingerprints for the local description: SHA-256 of the certificate.
    @usableFromInline package var localFingerprints: [Fingerprint] {
        let fingerprint = Fingerprint(ofCertificate: configuration.certificate.der, crypto: crypto)
        return fingerprint.map { [$0] } ?? []
    }

    /// Whether a datagram is DTLS by its first byte (RFC 7983, section 7, as updated by RFC 9443).
    @usableFromInline package static func accepts(firstByte: UInt8) -> Bool { (20...63).contains(firstByte) }

    // MARK: Signalling and ICE

    /// Sets the remote description's fingerprints, and *this* side's role according to offer and answer.
    ///
    /// A repeated description changes nothing. A different one, once the handshake has begun, requires a new
    /// association (RFC 8842, section 5), and this one continues unchanged: its owner creates a new transport. If none
    /// of the fingerprints is SHA-256, SHA-384 or SHA-512, the result is `.failed(.certificateRejected)`.
    @discardableResult
    package mutating func setRemote(
        fingerprints: [Fingerprint], role: DTLSRole, tlsID: String? = nil, at now: Instant
    ) -> DTLSRemoteChange {
        if self.role == role, remoteTLSID == tlsID, Set(remoteFingerprints) == Set(fingerprints) { return .unchanged }
        guard state == .new else { return .needsNewSession }
        self.role = role
        remoteTLSID = tlsID
        remoteFingerprints = fingerprints
        if fingerprints.contains(where: \.isAcceptable) {
            beginIfReady(at: now)
        } else {
            move(to: .failed(.certificateRejected))
        }
        return .accepted
    }

    /// Begins the handshake as soon as possible, since ICE has a path.
    ///
    /// - Parameter roundTripTime: The round-trip time measured by ICE, which times the first retransmission.
    @usableFromInline package mutating func start(at now: Instant, roundTripTime: TimeDelta? = nil) {
        guard !isPathReady else { return }
        isPathReady = true
        self.roundTripTime = roundTripTime
        beginIfReady(at: now)
    }

    /// Sends close_notify if the session ever connected, and closes.
    @usableFromInline package mutating func close(at now: Instant) {
        session?.close(at: now)
        forgetHeld()
        switch state {
        case .closed, .failed: break
        case .new, .connecting, .connected: move(to: .closed)
        }
    }

    // MARK: Datagrams and time

    /// Processes one datagram for which ``accepts(firstByte:)`` is true. Afterwards, call
    /// ``readApplicationData(into:)`` until `nil`.
    @usableFromInline package mutating func receive(_ datagram: RawSpan, at now: Instant) {
        guard let session else {
            hold(datagram)
            return
        }
        session.receive(datagram, at: now)
        follow(session)
    }

    /// Appends the pending datagrams of the handshake and close_notify to `batch`. The caller sets the batch's path.
    ///
    /// - Returns: Whether it appended any. If the batch is full, more may be pending.
    @usableFromInline package mutating func pollTransmit(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        session?.pollTransmit(into: &batch) ?? false
    }

    /// When ``handleTimeout(at:)`` is due.
    @usableFromInline package var nextDeadline: Instant? { session?.nextDeadline }

    /// Retransmits, or gives up.
    @usableFromInline package mutating func handleTimeout(at now: Instant) {
        guard let session else { return }
        session.handleTimeout(at: now)
        follow(session)
    }

    /// The next event, or `nil` when there is none.
    package mutating func pollEvent() -> DTLSEvent? {
        events.isEmpty ? nil : events.removeFirst()
    }

    // MARK: Application data

    /// Decrypts the next application record into `buffer`, which holds at least 16 KiB + 256 bytes.
    ///
    /// - Returns: The number of bytes, or `nil` when no record waits.
    @usableFromInline package mutating func readApplicationData(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let session, case .connected = state else { return nil }
        let count = session.readApplicationData(into: buffer)
        // close_notify or an alert may follow the data.
        if count == nil { follow(session) }
        return count
    }

    /// The most bytes by which ``seal(_:into:)`` makes a plaintext longer. 0 before the transport is connected.
    @usableFromInline package var sealOverhead: Int { session?.sealOverhead ?? 0 }

    /// Encrypts `plaintext` into one datagram at the end of `batch`.
    ///
    /// - Returns: `false`, with nothing done, when the transport is not connected or the batch has no room for it.
    @usableFromInline package mutating func seal(_ plaintext: UnsafeRawBufferPointer, into batch: inout TransmitBatch)
        -> Bool
    {
        guard let session, case .connected = state else { return false }
        return session.seal(plaintext, into: &batch)
    }

    // MARK: Results of the handshake

    /// The keys and salts for SRTP (RFC 5764), or `nil` if the transport is not connected, or the two sides have no
    /// common profile.
    ///
    /// Exported again on each access. Create only one ``SRTPSession`` from it: two would protect two packets with the
    /// same nonce.
    package var srtpKeyingMaterial: SRTPKeyingMaterial? {
        guard let session, let role, state == .connected, let profile = session.srtpProfile else { return nil }
        let material = session.exportKeyingMaterial(
            label: SRTPKeyingMaterial.label, count: profile.keyingMaterialLength)
        return material.flatMap { SRTPKeyingMaterial(profile: profile, material: $0, role: role) }
    }

    /// The peer's certificate in DER, once it was accepted.
    @usableFromInline package var remoteCertificateDER: [UInt8]? { peerCertificate?.accepted }

    /// Version and cipher suite, once known.
    package var parameters: DTLSParameters? { session?.parameters }

    /// The SRTP profile that was negotiated, or `nil` when there is none.
    @usableFromInline package var srtpProfile: SRTPProfile? { session?.srtpProfile }

    /// Records and early datagrams that were dropped.
    @usableFromInline package var droppedRecords: Int { droppedWhileHeld + (session?.droppedRecords ?? 0) }
}

extension DTLSTransport {
    private mutating func beginIfReady(at now: Instant) {
        guard state == .new, session == nil, isPathReady, let role else { return }
        var configuration = configuration
        if let roundTripTime {
            // Twice the round trip leaves the peer as long again to answer; the bounds are the usual ones of WebRTC.
            configuration.initialTimeout = min(max(roundTripTime * 2, .milliseconds(50)), .seconds(3))
        }
        let session: any DTLSSession
        do throws(CryptoError) {
            session = try crypto.makeDTLSSession(configuration)
        } catch {
            move(to: .failed(.handshake(error.message)))
            return
        }
        let peer = PeerCertificate(accepting: remoteFingerprints, crypto: crypto)
        self.session = session
        peerCertificate = peer
        session.verifyPeer { peer.judge($0) }
        session.start(as: role, at: now)
        follow(session)

        let early = held
        forgetHeld()
        for datagram in early {
            datagram.withUnsafeBytes { session.receive(RawSpan(_unsafeBytes: $0), at: now) }
            follow(session)
        }
    }

    private mutating func hold(_ datagram: RawSpan) {
        guard state == .new, datagram.byteCount > 0, held.count < Self.maximumHeldDatagrams,
            heldBytes + datagram.byteCount <= Self.maximumHeldBytes
        else {
            droppedWhileHeld &+= 1
            return
        }
        heldBytes += datagram.byteCount
        held.append(datagram.array)
    }

    private mutating func forgetHeld() {
        held = []
        heldBytes = 0
    }

    /// Adopts the session's state. Runs once per packet, so the usual case compares two tags only.
    private mutating func follow(_ session: any DTLSSession) {
        switch (session.state, state) {
        case (.idle, _), (.connected, .connected), (.handshaking, .connecting): break
        case (.handshaking, _): move(to: .connecting)
        case (.connected, _): move(to: .connected)
        case (.closed, _): move(to: .closed)
        case (.failed(let reason), _): move(to: .failed(reason))
        }
    }

    private mutating func move(to next: DTLSTransportState) {
        switch state {
        case .closed, .failed: return
        case .new, .connecting, .connected: break
        }
        state = next
        events.append(.state(next))
        if case .failed = next { forgetHeld() }
    }
}

/// The states of an `RTCDtlsTransport`.
package enum DTLSTransportState: Sendable, Hashable {
    /// The handshake has not begun.
    case new
    case connecting
    /// The handshake is done and the peer's certificate was accepted.
    case connected
    /// close_notify was sent or received.
    case closed
    case failed(DTLSFailure)
}

package enum DTLSEvent: Sendable, Hashable {
    /// The transport moved to this state.
    case state(DTLSTransportState)
}

/// The effect of a remote description on a DTLS association.
@usableFromInline package enum DTLSRemoteChange: Sendable, Hashable {
    /// The fingerprints, role and `tls-id` were adopted.
    case accepted
    /// It equals the one before.
    case unchanged
    /// Fingerprints, role or `tls-id` differ from those of the current association: a new one has to replace it.
    case needsNewSession
}

/// Checks the peer's certificate for one association, and keeps it once accepted.
private final class PeerCertificate {
    private(set) var accepted: [UInt8]?
    private let fingerprints: [Fingerprint]
    private let crypto: any CryptoProvider

    init(accepting announced: [Fingerprint], crypto: any CryptoProvider) {
        self.fingerprints = Fingerprint.strongest(of: announced)
        self.crypto = crypto
    }

    func judge(_ der: [UInt8]) -> Bool {
        guard let algorithm = fingerprints.first?.algorithm,
            let shown = Fingerprint(ofCertificate: der, algorithm: algorithm, crypto: crypto),
            fingerprints.contains(shown)
        else { return false }
        accepted = der
        return true
    }
}
