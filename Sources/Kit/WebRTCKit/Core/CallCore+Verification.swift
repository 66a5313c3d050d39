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
        guard let call, let said = call.verification.said else { return false }
        return outbox.contains(.signal(CallSignal(call: call.id, .verify(said))))
    }

    /// Sends the last message again when the signalling is connected again, since it may have been lost.
    mutating func repeatVerification() {
        guard let call, call.isAnswered, let said = call.verification.said else { return }
        post(.verify(said), of: call)
    }

    private mutating func continueVerification(_ messages: [VerificationMessage]) {
        guard let call else { return }
        for message in messages { post(.verify(message), of: call) }
        let status = call.verification.status
        guard status != call.call.verification else { return }
        self.call?.call.verification = status
        report(.verification)
    }
}
