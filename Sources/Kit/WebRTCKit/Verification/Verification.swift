/// One side of the exchange by which both peers of a call compute the same ``VerificationCode``, as a value: no clock, no random
/// source, no socket.
///
///     caller                                        callee
///       │ commit: hash of its nonce and of both        │
///       │         certificates' fingerprints ─────────▶│
///       │◀──────────────────────────── nonce: its own  │
///       │ reveal: its nonce ──────────────────────────▶│  does it match the commitment?
///
/// It runs once per call. Anything invalid (a wrong length, a wrong order, two values for a step, a commitment that does not
/// match, another certificate later) makes it ``isFailed`` permanently: there is no second attempt, since each would be one more
/// guess for an attacker in the middle. A repeated message, after signalling has lost one, gets the same response. Source:
/// docs/security.md.
struct Verification: Sendable {
    /// The code to show, once there is one. It is removed if the verification fails later.
    private(set) var code: VerificationCode?

    private let isCaller: Bool
    private let nonce: [UInt8]
    private var step: Step
    private var fingerprints: VerificationHash.Fingerprints?
    /// The last message of this side.
    private(set) var lastSent: VerificationMessage?
    /// The messages of the other side, each step once.
    private var received: [VerificationMessage] = []

    private enum Step: Sendable {
        /// The fingerprints are not known yet.
        case waiting
        /// As callee: the commitment arrived before the fingerprints are known.
        case holdingCommitment([UInt8])
        /// As caller: the commitment was sent.
        case awaitingNonce
        /// As callee: the fingerprints are known.
        case awaitingCommitment
        /// As callee: the nonce was sent.
        case awaitingReveal(commitment: [UInt8])
        case finished
        case failed
    }

    /// - Parameters:
    ///   - isCaller: Whether this side sent the invitation of the call, whoever makes later offers.
    ///   - nonce: 32 bytes from a cryptographic source, for this call only.
    init(isCaller: Bool, nonce: [UInt8]) {
        self.isCaller = isCaller
        self.nonce = nonce
        step = nonce.count == VerificationHash.byteCount ? .waiting : .failed
    }

    /// Whether the verification has failed: there will be no code in this call.
    var isFailed: Bool {
        if case .failed = step { true } else { false }
    }

    /// Begins with the certificates that DTLS has verified. A repetition with the same ones has no effect, with others it fails.
    ///
    /// - Parameters: The certificates' SHA-256 fingerprints, of 32 bytes each.
    /// - Returns: The messages to send, in order.
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
            return makeMessages(.commit, commitment)
        case .waiting:
            step = .awaitingCommitment
            return []
        case .holdingCommitment(let commitment):
            step = .awaitingReveal(commitment: commitment)
            return makeMessages(.nonce, nonce)
        case .awaitingNonce, .awaitingCommitment, .awaitingReveal, .finished, .failed:
            return fail()
        }
    }

    /// Handles a message of the other side.
    ///
    /// - Returns: The messages to send, in order.
    mutating func receive(_ message: VerificationMessage) -> [VerificationMessage] {
        guard !isFailed else { return [] }
        guard message.value.count == VerificationHash.byteCount else { return fail() }
        if received.contains(message) {
            // The message is known; the response to it may have been lost. A reveal has no response.
            return message.step == .reveal ? [] : [lastSent].compactMap(\.self)
        }
        received.append(message)
        switch (step, message.step) {
        case (.waiting, .commit) where !isCaller:
            // The nonce is kept until the certificates are fixed: an attacker who knew it could choose a certificate that
            // matches.
            step = .holdingCommitment(message.value)
            return []
        case (.awaitingCommitment, .commit):
            step = .awaitingReveal(commitment: message.value)
            return makeMessages(.nonce, nonce)
        case (.awaitingNonce, .nonce):
            finish(callerNonce: nonce, calleeNonce: message.value)
            return isFailed ? [] : makeMessages(.reveal, nonce)
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

    /// Fails: a message of the other side could not be parsed.
    @discardableResult
    mutating func fail() -> [VerificationMessage] {
        step = .failed
        (code, lastSent, received) = (nil, nil, [])
        return []
    }

    private mutating func makeMessages(_ step: VerificationMessage.Step, _ value: [UInt8]) -> [VerificationMessage] {
        let message = VerificationMessage(step: step, value: value)
        lastSent = message
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
