import RTCSignaling

/// How a call ended.
enum CallOutcome: Sendable, Equatable {
    /// There was a call. The reason is a word of the protocol.
    case hungUp(byUs: Bool, reason: String)
    /// The caller, here or there, gave up before there was an answer.
    case cancelled(byUs: Bool)
    case rejected(byUs: Bool, reason: String)
    case busy
    case noAnswer
    /// Nobody of that name is signed in.
    case unavailable
    case answeredElsewhere
    case declinedElsewhere
    /// The call took place, and its path broke for good; or no path was found at all.
    case connectionFailed(String)
    /// The server would not have the call.
    case refused(String)

    /// The word for it in JSON.
    var word: String {
        switch self {
        case .hungUp(byUs: true, _): "hungUp"
        case .hungUp(byUs: false, _): "theyHungUp"
        case .cancelled: "cancelled"
        case .rejected: "rejected"
        case .busy: "busy"
        case .noAnswer: "noAnswer"
        case .unavailable: "unavailable"
        case .answeredElsewhere: "answeredElsewhere"
        case .declinedElsewhere: "declinedElsewhere"
        case .connectionFailed: "connectionFailed"
        case .refused: "refused"
        }
    }

    /// One line for a person.
    ///
    /// - Parameter peer: The other side's name.
    func sentence(_ peer: String) -> String {
        switch self {
        case .hungUp(byUs: true, _): "The call with \(peer) is over."
        case .hungUp(byUs: false, let reason):
            reason == CallReason.connectionFailed.rawValue ? "\(peer) lost the connection." : "\(peer) hung up."
        case .cancelled(byUs: true): "The call to \(peer) was cancelled."
        case .cancelled(byUs: false): "\(peer) gave up."
        case .rejected(byUs: true, _): "The call of \(peer) was declined."
        case .rejected(byUs: false, let reason):
            reason == CallReason.mediaFailed.rawValue ? "\(peer) cannot take this call." : "\(peer) declined the call."
        case .busy: "\(peer) is in another call."
        case .noAnswer: "\(peer) did not answer."
        case .unavailable: "Nobody is signed in as \(peer)."
        case .answeredElsewhere: "The call of \(peer) was answered on another device."
        case .declinedElsewhere: "The call of \(peer) was declined on another device."
        case .connectionFailed(let reason): "The call with \(peer) failed: \(reason)."
        case .refused(let reason): "The server refused the call: \(reason)"
        }
    }
}

/// What `duet call` and `duet answer` end with. docs/calls.md lists them.
enum CallStatus {
    static let connected: Int32 = 0
    static let failed: Int32 = 1
    /// An option cannot be satisfied.
    static let refusal: Int32 = 2
    /// The server cannot be reached, or does not let us in.
    static let server: Int32 = 3
    static let unavailable: Int32 = 4
    static let rejected: Int32 = 5
    static let busy: Int32 = 6
    static let noAnswer: Int32 = 7
    /// We gave up before there was a call.
    static let interrupted: Int32 = 130

    /// - Parameter wasConnected: Whether there was a connection at any time.
    static func of(_ outcome: CallOutcome, wasConnected: Bool) -> Int32 {
        switch outcome {
        case .connectionFailed, .refused: failed
        case _ where wasConnected: connected
        case .cancelled(byUs: true), .hungUp(byUs: true, _): interrupted
        // Somebody answered, or called, and did not wait for a path: nothing failed.
        case .hungUp(_, CallReason.normal.rawValue), .hungUp(_, CallReason.left.rawValue): rejected
        case .hungUp: failed
        case .cancelled(byUs: false), .answeredElsewhere, .declinedElsewhere: noAnswer
        case .rejected(byUs: true, _): connected
        case .rejected(byUs: false, _): rejected
        case .busy: busy
        case .noAnswer: noAnswer
        case .unavailable: unavailable
        }
    }
}
