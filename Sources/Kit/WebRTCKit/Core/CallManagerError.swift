/// Why a call ended, or why something could not be done. Its `description` says what to do about it.
///
/// Cases may be added: let a `switch` over them end with `default`, and show ``description`` there.
public enum CallManagerError: Error, Sendable, Hashable {
    // MARK: Why a call ended

    /// No path was found within `connectionTimeout`.
    case connectionTimeout
    /// The path was lost, and none was found again within `connectionTimeout`.
    case connectionLost
    /// The other peer does not want the call.
    case rejected
    /// The other peer is in another call.
    case busy
    /// It rang until it was given up.
    case noAnswer
    /// The other peer is not there.
    case peerUnavailable
    /// The signalling server could not be told, or refused; for a person.
    case signalingFailed(String)
    /// A connection, a track or a description could not be used; for a person.
    case webRTCFailed(String)

    // MARK: Why something could not be done

    /// The state does not allow it.
    case invalidStateChange(fromState: CallManagerState, toState: CallManagerState)
    /// It needs a call, or a call that runs, and there is none; for the app's author.
    case needsCall(String)
    /// There is no microphone or camera, it cannot be used, or the person does not allow it; for a person.
    case deviceUnavailable(String)
    /// An address, a name or a setting cannot be used; for the app's author.
    case invalidArgument(String)
}

extension CallManagerError: CustomStringConvertible {
    /// What has happened, and what to do about it, in English.
    public var description: String {
        switch self {
        case .connectionTimeout:
            "no path to the other peer was found in time: look whether the network lets UDP through, and name a STUN and a TURN server"
        case .connectionLost: "the path to the other peer was lost, and none was found again in time: call again"
        case .rejected: "the other peer does not want the call"
        case .busy: "the other peer is in another call: try again later"
        case .noAnswer: "nobody answered: try again later"
        case .peerUnavailable: "the other peer is not there: it has to be signed in at the signalling server"
        case .invalidStateChange(let from, let to):
            "not now: a call that is “\(from)” cannot become “\(to)”; ask the controller for its state first"
        case .signalingFailed(let message), .webRTCFailed(let message), .needsCall(let message),
            .deviceUnavailable(let message), .invalidArgument(let message):
            message
        }
    }
}
