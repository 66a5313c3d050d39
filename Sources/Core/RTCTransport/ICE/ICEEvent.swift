package import RTCWire

/// The connection state (W3C `RTCIceTransportState`).
public enum ICEConnectionState: String, Sendable, Hashable {
    /// Waiting for remote credentials or for the first remote candidate.
    case new
    /// Candidate pairs are being checked, and none works yet.
    case checking
    /// A usable pair was found; better ones may come.
    case connected
    /// A pair was nominated, nothing is left to check, and neither side will add candidates.
    case completed
    /// The selected pair does not answer. It may recover, or another may take its place.
    case disconnected
    /// No pair works, or consent has expired on all of them. Only a restart leads out.
    case failed
    case closed
}

/// The gathering state (W3C `RTCIceGathererState`).
public enum ICEGatheringState: String, Sendable, Hashable {
    case new
    case gathering
    case complete
}

/// An event that an agent reports to its owner.
package enum ICEEvent: Sendable, Hashable {
    /// A local candidate was found; it is to be signalled to the peer.
    case candidate(ICECandidate)
    case gatheringState(ICEGatheringState)
    case state(ICEConnectionState)
    /// Data is to be sent on this path from now on; `nil` when there is none.
    case selectedPath(TransportPath?)
    /// Packets are to be copied to another path too, since the selected one may be dead; `nil` when they are not any more.
    case backup(ICEBackup?)
    /// A remote candidate's `.local` name is to be resolved: answer by ``ICEAgent/resolved(name:to:at:)``.
    case resolve(name: String)
    /// A TCP connection is to be opened: answer by ``ICEAgent/connectionOpened(_:local:at:)`` or
    /// ``ICEAgent/connectionClosed(_:at:)``.
    case connect(SocketID, from: IPAddress, to: TransportAddress)
    /// A TCP connection is of no use any more. Nothing follows for it.
    case disconnect(SocketID)
    /// A role conflict was settled by changing our role.
    case roleChanged(isControlling: Bool)
}
