import WebRTCKit

/// How a call ended, in words.
extension Call.Outcome {
    /// The word in JSON. docs/calls.md lists them.
    var word: String {
        switch self {
        case .hungUp(by: .local): "hungUp"
        case .hungUp(by: .remote): "theyHungUp"
        case .cancelled: "cancelled"
        case .declined: "rejected"
        case .busy: "busy"
        case .unanswered: "noAnswer"
        case .unreachable: "unavailable"
        case .answeredElsewhere: "answeredElsewhere"
        case .declinedElsewhere: "declinedElsewhere"
        case .replaced: "replaced"
        case .refused, .failed(.signalingFailed): "refused"
        case .neverConnected, .connectionLost, .failed: "connectionFailed"
        }
    }

    /// A sentence for a person.
    ///
    /// - Parameter peer: The peer's name.
    func sentence(_ peer: String) -> String {
        switch self {
        case .hungUp(by: .local): "The call with \(peer) is over."
        case .hungUp(by: .remote): "\(peer) hung up."
        case .cancelled(by: .local): "The call to \(peer) was cancelled."
        case .cancelled(by: .remote): "\(peer) gave up."
        case .declined(by: .local): "The call of \(peer) was declined."
        case .declined(by: .remote): "\(peer) declined the call."
        case .busy: "\(peer) is in another call."
        case .unanswered: "\(peer) did not answer."
        case .unreachable: "Nobody is signed in as \(peer)."
        case .answeredElsewhere: "The call of \(peer) was answered on another device."
        case .declinedElsewhere: "The call of \(peer) was declined on another device."
        case .replaced: "Another call with \(peer) took the place of this one."
        case .neverConnected: "The call with \(peer) failed: no path was found."
        case .connectionLost: "The call with \(peer) failed: the path is lost."
        case .refused(let reason): "The server refused the call: \(reason)"
        case .failed(let error): "The call with \(peer) failed: \(error)."
        }
    }
}

/// The exit statuses of `duet call` and `duet answer`. docs/calls.md lists them.
enum CallStatus {
    static let connected: Int32 = 0
    static let failed: Int32 = 1
    /// An option cannot be satisfied.
    static let refusal: Int32 = 2
    /// The server cannot be reached, or refuses the sign-in.
    static let server: Int32 = 3
    static let unavailable: Int32 = 4
    static let rejected: Int32 = 5
    static let busy: Int32 = 6
    static let noAnswer: Int32 = 7
    /// This side gave up before the call was connected.
    static let interrupted: Int32 = 130

    /// - Parameter wasConnected: Whether there was a connection at any time.
    static func of(_ outcome: Call.Outcome, wasConnected: Bool) -> Int32 {
        switch outcome {
        case .neverConnected, .connectionLost, .failed, .refused: failed
        case _ where wasConnected: connected
        case .cancelled(by: .local), .hungUp(by: .local): interrupted
        // The peer answered or called, and hung up before there was a path: no failure.
        case .hungUp(by: .remote): rejected
        case .cancelled(by: .remote), .answeredElsewhere, .declinedElsewhere, .replaced: noAnswer
        case .declined(by: .local): connected
        case .declined(by: .remote): rejected
        case .busy: busy
        case .unanswered: noAnswer
        case .unreachable: unavailable
        }
    }
}

extension Call.Peer {
    /// The device in `bob/k3v9`.
    var deviceName: String? {
        guard let device, let slash = device.firstIndex(of: "/") else { return nil }
        return String(device[device.index(after: slash)...])
    }
}
