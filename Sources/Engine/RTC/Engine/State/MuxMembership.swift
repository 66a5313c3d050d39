internal import RTCTransport
internal import RTCWire

/// The membership of a connection in a ``UDPMux``, whose sockets it shares with others.
struct MuxMembership {
    private let mux: SharedSockets
    /// Our member number there.
    private let id: ICEDemultiplexer.AgentID
    /// The username fragments known to the mux.
    private var announcedFragments: [String] = []

    init(_ mux: SharedSockets, id: ICEDemultiplexer.AgentID) {
        self.mux = mux
        self.id = id
    }

    /// Tells the mux our peer's local username fragments.
    mutating func announce(_ fragments: [String]) {
        guard fragments != announcedFragments else { return }
        announcedFragments = fragments
        mux.setFragments(fragments, of: id)
    }

    /// Records a batch that was sent through a shared socket.
    func sent(_ batch: borrowing TransmitBatch) {
        mux.sent(batch, by: id)
    }

    func leave() {
        mux.leave(id)
    }
}
