/// One side of the exchange by which both peers of a call come to the same ``VerificationCode``, as a value: no clock, no
/// random source, no socket.
///
///     caller                                        callee
///       │ commit: hash of its nonce and of both        │
///       │         certificates' fingerprints ─────────▶│
///       │◀──────────────────────────── nonce: its own  │
///       │ reveal: its nonce ──────────────────────────▶│  is it the one of the commitment?
///
/// It runs once for a call. Whatever does not belong to it (a wrong length, a wrong order, a step with two values, a
/// commitment that does not fit, another certificate later) makes it ``isFailed``, for good: there is no second try, since
/// each would be one more for whoever sits in the middle. The same message may come again, when signalling has lost one: it is
/// answered by the same. Source: docs/security.md.
struct Verification: Sendable {
    /// What both sides show, once there is one. It goes away if the verification fails later.
    private(set) var code: VerificationCode?

    private let isCaller: Bool
    private let nonce: [UInt8]
    private var step: Step
    private var fingerprints: VerificationHash.Fingerprints?
    /// What this side said last.
    private(set) var said: VerificationMessage?
    /// What the other side has said, each step once.
    private var heard: [VerificationMessage] = []

    private enum Step: Sendable {
        /// The fingerprints are not known yet.
        case waiting
        /// A callee's that has the commitment before it knows the fingerprints.
        case holdingCommitment([UInt8])
        /// A caller's that has sent its commitment.
        case awaitingNonce
        /// A callee's that knows the fingerprints.
        case awaitingCommitment
        /// A callee's that has sent its nonce.
        case awaitingReveal(commitment: [UInt8])
        case finished
        case failed
    }

    /// - Parameters:
    ///   - isCaller: Whether this side invited the other to the call. It stays so, whatever is negotiated in it.
    ///   - nonce: 32 bytes from a cryptographic source, for this call only.
    init(isCaller: Bool, nonce: [UInt8]) {
        self.isCaller = isCaller
        self.nonce = nonce
        step = nonce.count == VerificationHash.byteCount ? .waiting : .failed
    }

    /// Whether a message or a fingerprint did not fit. There is no code, and will be none in this call.
    var isFailed: Bool {
        if case .failed = step { true } else { false }
    }

    /// Begins, with the certificates that DTLS has verified. Again with the same it does nothing, with others it fails.
    ///
    /// - Parameters: The certificates' SHA-256 fingerprints, of 32 bytes each.
    /// - Returns: What to send to the other side, in this order.
    mutating func begin(local: [UInt8], remote: [UInt8]) -> [VerificationMessage] {
        guard !isFailed else { return [] }
        let new = VerificationHash.Fingerprints(caller: isCaller ? local : remote, callee: isCaller ? remote : local)
        if let fingerprints { return fingerprints == new ? [] : fail() }
        guard local.count == VerificationHash.byteCount, remote.count == VerificationHash.byteCount else {
            return fail()
        }
        fingerprints = new
        switch step {
        case .waiting where isCaller:
            guard let commitment = VerificationHash.commitment(fingerprints: new, callerNonce: nonce) else {
                return fail()
            }
            step = .awaitingNonce
            return say(.commit, commitment)
        case .waiting:
            step = .awaitingCommitment
            return []
        case .holdingCommitment(let commitment):
            step = .awaitingReveal(commitment: commitment)
            return say(.nonce, nonce)
        case .awaitingNonce, .awaitingCommitment, .awaitingReveal, .finished, .failed:
            return fail()
        }
    }

    /// Takes what the other side says.
    ///
    /// - Returns: What to send to it, in this order.
    mutating func receive(_ message: VerificationMessage) -> [VerificationMessage] {
        guard !isFailed else { return [] }
        guard message.value.count == VerificationHash.byteCount else { return fail() }
        if heard.contains(message) {
            // What it said is what we know already; what we answered it may not have. A reveal has no answer.
            return message.step == .reveal ? [] : [said].compactMap(\.self)
        }
        heard.append(message)
        switch (step, message.step) {
        case (.waiting, .commit) where !isCaller:
            // Our nonce stays with us until the certificates are settled: who knew it could look for one that fits.
            step = .holdingCommitment(message.value)
            return []
        case (.awaitingCommitment, .commit):
            step = .awaitingReveal(commitment: message.value)
            return say(.nonce, nonce)
        case (.awaitingNonce, .nonce):
            finish(callerNonce: nonce, calleeNonce: message.value)
            return isFailed ? [] : say(.reveal, nonce)
        case (.awaitingReveal(let commitment), .reveal):
            guard let fingerprints,
                VerificationHash.commitment(fingerprints: fingerprints, callerNonce: message.value) == commitment
            else { return fail() }
            finish(callerNonce: message.value, calleeNonce: nonce)
            return []
        default:
            return fail()
        }
    }

    /// Ends it without a code: what the other side said could not even be read.
    @discardableResult
    mutating func fail() -> [VerificationMessage] {
        step = .failed
        (code, said, heard) = (nil, nil, [])
        return []
    }

    private mutating func say(_ step: VerificationMessage.Step, _ value: [UInt8]) -> [VerificationMessage] {
        let message = VerificationMessage(step: step, value: value)
        said = message
        return [message]
    }

    private mutating func finish(callerNonce: [UInt8], calleeNonce: [UInt8]) {
        guard let fingerprints,
            let digest = VerificationHash.code(
                fingerprints: fingerprints, callerNonce: callerNonce, calleeNonce: calleeNonce),
            let code = VerificationCode(digest: digest)
        else {
            fail()
            return
        }
        self.code = code
        step = .finished
    }
}
