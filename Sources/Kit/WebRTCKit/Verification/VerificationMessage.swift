/// The content of a `verify` signal. Source: docs/security.md.
struct VerificationMessage: Sendable, Hashable {
    enum Step: String, Sendable, Hashable, CaseIterable {
        /// From the caller: ``VerificationHash/commitment(fingerprints:callerNonce:)``.
        case commit
        /// From the callee: its nonce, once it has the commitment.
        case nonce
        /// From the caller: its nonce, once it has the callee's.
        case reveal
    }

    let step: Step
    /// 32 bytes. Another length is invalid.
    let value: [UInt8]
}
