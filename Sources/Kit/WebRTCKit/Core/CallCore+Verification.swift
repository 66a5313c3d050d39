internal import RTCWire

/// The exchange of the verification code; docs/security.md is its specification.
extension CallCore {
    /// Begins when DTLS has verified the certificates.
    mutating func beginVerification(local: [UInt8], remote: [UInt8]) {
        guard call?.isAnswered == true, let messages = call?.verification.begin(local: local, remote: remote) else {
            return counters.unexpected += 1
        }
        continueVerification(messages)
    }

    mutating func take(_ message: VerificationMessage) {
        guard call?.isAnswered == true, let messages = call?.verification.receive(message) else {
            return counters.unexpected += 1
        }
        continueVerification(messages)
    }

    /// Handles an invalid message of the verification.
    mutating func failVerification(of id: CallIdentifier, from peer: PeerID) {
        guard let call, call.id == id, call.isAnswered, call.hasPart(peer) else { return }
        self.call?.verification.fail()
        continueVerification([])
    }

    /// Whether the last sent message is waiting for the signalling.
    var verificationWaits: Bool {
        guard let call, let said = call.verification.lastSent else { return false }
        return outbox.contains(.signal(CallSignal(call: call.id, .verify(said))))
    }

    /// Sends the last message again, since it may have been lost: with a session of either peer, or at the server. The peer ignores
    /// one that it has.
    mutating func repeatVerification() {
        guard let call, call.isAnswered, let said = call.verification.lastSent else { return }
        sayVerification([said])
    }

    mutating func repeatVerificationLater(at now: Instant) {
        guard let call, call.isAnswered, call.verification.lastSent != nil, timers[.repeatVerification] == nil else {
            return
        }
        timers[.repeatVerification] = now + CallTimes.repeatVerificationDelay
    }

    /// Sends messages, unless the peer has no session: the last one is sent when it has one again.
    private mutating func sayVerification(_ messages: [VerificationMessage]) {
        guard let call, call.call.peer.presence != .gone else { return }
        for message in messages { post(.verify(message), of: call) }
    }

    private mutating func continueVerification(_ messages: [VerificationMessage]) {
        guard let call else { return }
        sayVerification(messages)
        let status = call.verification.status
        guard status != call.call.verification else { return }
        self.call?.call.verification = status
        report(.verification)
    }
}
