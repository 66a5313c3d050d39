/// What can be said of whether somebody is in the middle of a call. Source: docs/security.md.
///
/// No case says "safe": that the code is the same at both ends is for the two people to find out.
public enum VerificationStatus: Sendable, Hashable {
    /// There is no code yet. It comes within a few round trips of the connection; a peer that knows nothing of codes
    /// never sends one, and neither does a signalling server that withholds it.
    case waiting
    /// The code to compare.
    case code(VerificationCode)
    /// What the two sides hold does not fit together. Either somebody is in the middle or the other side's software is
    /// at fault; there will be no code in this call.
    case failed
}

extension Verification {
    var status: VerificationStatus {
        if isFailed { return .failed }
        return code.map { .code($0) } ?? .waiting
    }
}
