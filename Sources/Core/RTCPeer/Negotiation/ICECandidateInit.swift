/// A trickled candidate with the section that it belongs to (W3C RTCIceCandidateInit).
public struct ICECandidateInit: Sendable, Hashable {
    /// `candidate:…` as RFC 8839, section 5.1 writes it; empty when no more candidates follow.
    public var candidate: String
    /// The `a=mid` of the section.
    public var sdpMid: String?
    /// The number of the section, from 0. Looked at where ``sdpMid`` is missing.
    public var sdpMLineIndex: Int?
    /// The ICE generation that the candidate belongs to.
    public var usernameFragment: String?

    public init(
        candidate: String, sdpMid: String? = nil, sdpMLineIndex: Int? = nil, usernameFragment: String? = nil
    ) {
        self.candidate = candidate
        self.sdpMid = sdpMid
        self.sdpMLineIndex = sdpMLineIndex
        self.usernameFragment = usernameFragment
    }
}

/// How to handle a candidate of the other side.
package enum RemoteCandidateOutcome: Sendable, Hashable {
    /// Hand the value (it begins with `candidate:`) to ICE: it belongs to the generation in use.
    case apply(String)
    /// Tell ICE that the generation in use will have no more candidates.
    case endOfCandidates
    /// Held. ``NegotiationChange/remoteTransport(_:)`` will contain it when its description is agreed upon.
    case held
    /// Dropped, and why.
    case ignored(Reason)

    package enum Reason: Sendable, Hashable {
        /// It belongs to an ICE generation that has been replaced or withdrawn.
        case oldGeneration
        /// It belongs to a section that was rejected.
        case rejectedSection
        /// It was announced before.
        case duplicate
        /// The generation has as many candidates as may be kept.
        case tooMany
    }
}
