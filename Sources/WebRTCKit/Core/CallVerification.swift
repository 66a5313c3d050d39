internal import RTCWire

/// The comparison of a call's verification codes, as far as a core drives it: see docs/security.md.
struct CallVerification {
    /// The most messages that are kept until the fingerprints are known: more than one side ever says.
    private static let maximumWaiting = 4

    private var verification: Verification?
    private var fingerprints: (local: [UInt8], remote: [UInt8])?
    /// The other side's DTLS may be done before ours, and what it says then is kept.
    private var waiting: [VerificationMessage] = []
    private var announced: VerificationCode?

    /// Takes the fingerprints that DTLS has verified. The same ones once more change nothing.
    ///
    /// - Returns: What is to be said.
    mutating func begin(
        isCaller: Bool, local: [UInt8], remote: [UInt8], random: any RandomSource
    ) -> [VerificationMessage] {
        if let known = fingerprints, known == (local, remote) { return [] }
        fingerprints = (local, remote)
        var verification = Verification(isCaller: isCaller, nonce: random.bytes(32))
        var replies = verification.begin(local: local, remote: remote)
        for message in waiting { replies += verification.receive(message) }
        waiting = []
        self.verification = verification
        return replies
    }

    /// - Returns: What is to be said. `nil` if there is no room for the message.
    mutating func receive(_ message: VerificationMessage) -> [VerificationMessage]? {
        guard verification != nil else {
            guard waiting.count < Self.maximumWaiting else { return nil }
            waiting.append(message)
            return []
        }
        return verification?.receive(message)
    }

    /// The code, if there is one that has not been told yet.
    mutating func takeNewCode() -> VerificationCode? {
        guard let code = verification?.code, code != announced else { return nil }
        announced = code
        return code
    }
}
