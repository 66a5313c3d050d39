package import RTCWire

/// One DTLS endpoint: the interface between the transport core and the TLS library.
///
/// A session is sans-IO: datagrams are passed in, outgoing ones are polled, and each call carries the time. It
/// retransmits as RFC 6347 and RFC 9147 require, by ``nextDeadline`` and ``handleTimeout(at:)``. Nothing is readable or
/// writable before the handshake has finished *and* ``verifyPeer(_:)`` has accepted the peer's certificate.
///
/// It is a class and is called once per packet: the only dynamic call per packet.
package protocol DTLSSession: AnyObject {
    /// The state of the session. `.closed` and `.failed` are final.
    var state: DTLSSessionState { get }

    /// When ``handleTimeout(at:)`` is due, or `nil` when nothing waits to be retransmitted.
    var nextDeadline: Instant? { get }

    /// Starts the handshake in `role`. A client's first flight can be polled at once. Called once.
    func start(as role: DTLSRole, at now: Instant)

    /// Takes one datagram, of one record or several. Garbage is dropped and counted, as DTLS demands.
    func receive(_ datagram: RawSpan, at now: Instant)

    /// Retransmits overdue messages.
    func handleTimeout(at now: Instant)

    /// Called by the owner once the peer's fingerprints are known. Until then a handshake that reaches the peer's
    /// certificate waits, and nothing is accepted.
    ///
    /// - Parameter accepts: Is given the DER of the peer's certificate and decides. It is kept until the handshake
    ///   ends.
    func verifyPeer(_ accepts: @escaping (_ certificateDER: [UInt8]) -> Bool)

    /// Appends handshake datagrams, alerts and retransmissions to `batch` until nothing waits or nothing more fits.
    ///
    /// - Returns: Whether it appended any.
    func pollTransmit(into batch: inout TransmitBatch) -> Bool

    /// Decrypts the next application record into `buffer`, which holds at least 16 KiB + 256 bytes.
    ///
    /// - Returns: The number of bytes, or `nil` when no record waits. Call until `nil` after each ``receive(_:at:)``.
    func readApplicationData(into buffer: UnsafeMutableRawBufferPointer) -> Int?

    /// The most bytes by which ``seal(_:into:)`` makes a plaintext longer. Constant once connected.
    var sealOverhead: Int { get }

    /// Encrypts `plaintext` into one datagram at the end of `batch`.
    ///
    /// - Returns: `false`, with nothing done, when the session is not connected or `batch.room` is less than the
    ///   plaintext plus ``sealOverhead``.
    func seal(_ plaintext: UnsafeRawBufferPointer, into batch: inout TransmitBatch) -> Bool

    /// Keying material for another protocol (RFC 5705), such as `"EXTRACTOR-dtls_srtp"` (RFC 5764). `nil` before the
    /// session is connected.
    func exportKeyingMaterial(label: String, count: Int) -> [UInt8]?

    /// The SRTP profile that was negotiated (RFC 5764, section 4.1.2), or `nil` when there is none.
    var srtpProfile: SRTPProfile? { get }

    /// Version and cipher suite, once known.
    var parameters: DTLSParameters? { get }

    /// Records that were dropped: undecipherable, replayed or malformed.
    var droppedRecords: Int { get }

    /// Sends close_notify, which is polled out like any datagram, and closes.
    func close(at now: Instant)
}

/// Which side begins the handshake (RFC 8842).
package enum DTLSRole: Sendable, Hashable {
    /// The `active` side, which sends the ClientHello.
    case client
    /// The `passive` side.
    case server
}

package enum DTLSSessionState: Sendable, Hashable {
    case idle
    case handshaking
    /// The handshake is done and the peer's certificate was accepted.
    case connected
    /// close_notify was sent or received.
    case closed
    case failed(DTLSFailure)
}

package enum DTLSFailure: Error, Sendable, Hashable {
    /// The peer's certificate has none of the fingerprints that its description announced.
    case certificateRejected
    /// The peer sent a fatal alert: its code (RFC 8446, section 6).
    case alert(UInt8)
    /// The handshake broke a rule of the protocol; the library's words.
    case handshake(String)
    /// The peer did not answer for as long as the handshake may take.
    case timedOut
}

/// The negotiated parameters of a finished handshake.
package struct DTLSParameters: Sendable, Hashable {
    package var version: DTLSVersion
    /// The IANA name of the cipher suite.
    package var cipherSuite: String

    package init(version: DTLSVersion, cipherSuite: String) {
        self.version = version
        self.cipherSuite = cipherSuite
    }
}

public enum DTLSVersion: Sendable, Hashable, Comparable {
    case v12
    case v13
}

/// SRTP protection profiles by their IANA numbers (RFC 5764, RFC 7714).
public enum SRTPProfile: UInt16, Sendable, Hashable, CaseIterable {
    case aes128CMHMACSHA1_80 = 0x0001
    case aeadAES128GCM = 0x0007
    case aeadAES256GCM = 0x0008
}

/// How to set up a DTLS session.
package struct DTLSConfiguration {
    package var certificate: any LocalCertificate
    package var minimumVersion: DTLSVersion = .v12
    package var maximumVersion: DTLSVersion = .v13
    /// In order of preference; empty leaves the extension out.
    package var srtpProfiles: [SRTPProfile] = [.aeadAES128GCM, .aeadAES256GCM, .aes128CMHMACSHA1_80]
    /// The largest datagram that the handshake may use, in bytes.
    package var maximumDatagramSize = 1_200
    /// How long the first flight waits for an answer before it is sent again; doubled at each repetition.
    package var initialTimeout: TimeDelta = .milliseconds(200)
    /// The longest handshake without an answer before it fails.
    package var handshakeTimeout: TimeDelta = .seconds(30)

    package init(certificate: any LocalCertificate) {
        self.certificate = certificate
    }
}

/// The certificate and private key that a peer shows. Only the crypto provider that made it can use it.
@usableFromInline package protocol LocalCertificate: AnyObject, Sendable {
    /// The certificate in DER, from which fingerprints are computed.
    var der: [UInt8] { get }
    /// When it stops being valid, in seconds since 1970.
    var expiry: Int64 { get }
}
