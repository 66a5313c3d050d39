/// Why a call ended, or why something could not be done.
public enum CallManagerError: Error, Sendable, Hashable {
    /// The state does not allow it.
    case invalidStateChange(fromState: CallManagerState, toState: CallManagerState)
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
}
