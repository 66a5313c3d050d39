/// The state of the verification that nobody is in the middle of a call. Source: docs/security.md.
///
/// No case means “safe”: the two people have to compare the code.
public enum VerificationStatus: Sendable, Hashable {
    /// There is no code yet. It is computed within a few round trips of the connection, unless the peer does not
    /// support codes, or the signalling server withholds its messages.
    case waiting
    /// The code that the two people compare.
    case code(VerificationCode)
    /// The messages of the peers contradict each other: somebody is in the middle, or the peer's software is faulty.
    /// There will be no code in this call.
    case failed
}

extension Verification {
    var status: VerificationStatus {
        if isFailed { return .failed }
        return code.map { .code($0) } ?? .waiting
    }
}
