public import RTCDevices

/// The reason why a call ended, or why a request failed. Its `description` says what to do about it.
///
/// Cases may be added: give a `switch` a `default` that shows ``description``.
public enum CallManagerError: Error, Sendable, Hashable {
    // MARK: Reasons for the end of a call

    /// ICE found no path within `connectionTimeout`.
    case connectionTimeout
    /// The path was lost, and ICE found no other within `connectionTimeout`.
    case connectionLost
    /// The callee rejected the call.
    case rejected
    /// The peer is in another call.
    case busy
    /// Nobody answered in time.
    case noAnswer
    /// The peer is not reachable over the signalling server.
    case peerUnavailable
    /// A signalling message could not be sent, or the server refused it. The message is human-readable.
    case signalingFailed(String)
    /// A connection, a track or a session description could not be used. The message is human-readable.
    case webRTCFailed(String)

    // MARK: Failed requests

    /// The state of the call does not allow this.
    case invalidStateChange(fromState: CallManagerState, toState: CallManagerState)
    /// A call, or a connected call, is needed, and there is none. The message is for the developer.
    case needsCall(String)
    /// There is no microphone or camera, it cannot be used, or the person has not given permission: `DeviceError.code`
    /// says which, for instance `denied` (offer a way to the settings), `restricted` or `notFound`; `cancelled` if the task was
    /// cancelled while the person was asked. The message is human-readable.
    case deviceUnavailable(DeviceError)
    /// An address, a name or a setting is invalid. The message is for the developer.
    case invalidArgument(String)
}

extension CallManagerError: CustomStringConvertible {
    /// A human-readable description, in English, of what happened and what to do about it.
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
            .invalidArgument(let message):
            message
        case .deviceUnavailable(let error): error.message
        }
    }
}
