/// The state of a controller's connection to the signalling server. Connected calls continue without it.
public enum SignalingServerState: Sendable, Hashable {
    /// There is no connection: ``WebRTCController/setupConnection()`` has not made one yet, ``WebRTCController/disconnect()`` ended
    /// it, or it was interrupted and is being restored. `reason` is for a person, if there is one.
    case disconnected(reason: String?)
    /// Calls can be made and received.
    case connected
    /// The server announced that it is about to stop.
    case stopping
    /// The connection ended for good, because the server refuses this device. `reason` is for a person.
    case lost(reason: String)
}
