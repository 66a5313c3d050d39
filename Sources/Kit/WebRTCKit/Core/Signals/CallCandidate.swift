internal import RTCPeer

/// A message between two kits that is sent with `sendICECandidate`: one candidate of a call.
struct CallCandidate: Sendable, Hashable {
    /// The maximum number of bytes.
    static let maximumSize = 2_048

    /// The call that it belongs to.
    var call: CallIdentifier
    var candidate: ICECandidateInit

    init(call: CallIdentifier, _ candidate: ICECandidateInit) {
        self.call = call
        self.candidate = candidate
    }
}
