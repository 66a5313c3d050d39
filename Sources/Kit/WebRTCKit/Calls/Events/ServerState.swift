/// How a controller's connection to the signalling server is. Calls that are connected go on without it.
public enum ServerState: Sendable, Hashable {
    /// There is no connection: none was made yet, ``WebRTCController/disconnect()`` ended it, or it was interrupted and is being
    /// made again. `reason` is for a person, where there is one.
    case disconnected(reason: String?)
    /// Calls can be made and taken.
    case connected
    /// The server has said that it is about to stop.
    case stopping
    /// The connection is gone for good: the server refuses this device. `reason` is for a person.
    case lost(reason: String)
}
