internal import RTCCrypto
internal import RTCTransport

/// The two hashes of a verification, over fields of fixed length. Source: docs/security.md.
enum VerificationHash {
    /// The length of a fingerprint, a nonce and a hash.
    static let byteCount = 32

    /// What both sides hash of the certificates: SHA-256 of each in DER.
    struct Fingerprints: Sendable, Hashable {
        let caller: [UInt8]
        let callee: [UInt8]
    }

    /// By what the caller binds itself to a nonce that nobody else knows yet.
    static func commitment(fingerprints: Fingerprints, callerNonce: [UInt8]) -> [UInt8]? {
        sha256("duet verification 1 commit", [fingerprints.caller, fingerprints.callee, callerNonce])
    }

    /// What the code is read from.
    static func code(fingerprints: Fingerprints, callerNonce: [UInt8], calleeNonce: [UInt8]) -> [UInt8]? {
        sha256("duet verification 1 code", [fingerprints.caller, fingerprints.callee, callerNonce, calleeNonce])
    }

    /// - Returns: 32 bytes, or `nil` if a field has not 32.
    private static func sha256(_ label: String, _ fields: [[UInt8]]) -> [UInt8]? {
        guard fields.allSatisfy({ $0.count == byteCount }) else { return nil }
        let message = Array(label.utf8) + [0] + fields.joined()
        return message.withUnsafeBytes { BoringCrypto().digest(.sha256, of: RawSpan(_unsafeBytes: $0)) }
    }
}
