internal import RTCPeer

/// What two kits say to each other through `sendICECandidate`: one candidate of a call.
struct CallCandidate: Sendable, Hashable {
    /// The most bytes that one may have.
    static let maximumSize = 2_048

    /// The call that it belongs to.
    var call: CallIdentifier
    var candidate: ICECandidateInit

    init(call: CallIdentifier, _ candidate: ICECandidateInit) {
        self.call = call
        self.candidate = candidate
    }
}
