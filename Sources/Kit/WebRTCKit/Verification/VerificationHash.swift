internal import RTCCrypto
internal import RTCTransport

/// The two hashes of a verification, over fields of fixed length. Source: docs/security.md.
enum VerificationHash {
    /// The length of a fingerprint, a nonce and a hash.
    static let byteCount = 32

    /// The SHA-256 fingerprints of both certificates in DER, which are hashed.
    struct Fingerprints: Sendable, Hashable {
        let caller: [UInt8]
        let callee: [UInt8]
    }

    /// The hash by which the caller commits to its nonce without revealing it.
    static func commitment(fingerprints: Fingerprints, callerNonce: [UInt8]) -> [UInt8]? {
        sha256("duet verification 1 commit", [fingerprints.caller, fingerprints.callee, callerNonce])
    }

    /// The hash from which the code is read.
    static func code(fingerprints: Fingerprints, callerNonce: [UInt8], calleeNonce: [UInt8]) -> [UInt8]? {
        sha256("duet verification 1 code", [fingerprints.caller, fingerprints.callee, callerNonce, calleeNonce])
    }

    /// - Returns: 32 bytes, or `nil` if a field has another length.
    private static func sha256(_ label: String, _ fields: [[UInt8]]) -> [UInt8]? {
        guard fields.allSatisfy({ $0.count == byteCount }) else { return nil }
        let message = Array(label.utf8) + [0] + fields.joined()
        return message.withUnsafeBytes { BoringCrypto().digest(.sha256, of: RawSpan(_unsafeBytes: $0)) }
    }
}
