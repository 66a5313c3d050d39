public import RTC

/// A call between this device and another peer, from its beginning to its end.
///
/// A `Call` is a value. Each change of the call makes a new value with the same ``id``: ``WebRTCController/calls`` and
/// ``WebRTCController/events`` deliver it, and ``WebRTCController/call`` returns the latest.
///
/// ```swift
/// for await call in controller.calls {
///     show(call.peer.displayName, call.state)
///     if let outcome = call.outcome { show(outcome) }
/// }
/// ```
public struct Call: Sendable, Hashable, Identifiable {
    /// The identifier of the call, the same at both peers. It changes once if both peers call each other at the same time and
    /// the remote peer's call is the one that continues (``Change/glare``).
    public internal(set) var id: CallIdentifier
    /// After glare, the identifier of this device's call, which gave way to this one.
    var formerID: CallIdentifier?
    /// The remote peer.
    public internal(set) var peer: Peer
    /// Whether this device called or is called.
    public internal(set) var direction: Direction
    /// The state of the call.
    public internal(set) var state: State
    /// The media that the caller announced in its invitation. Empty if it announced none.
    public internal(set) var media: [CallMedia]
    /// The times at which the call began, was answered, was connected and ended.
    public internal(set) var times = Times()
    /// The rating of the call, and what limits it; `nil` in the first seconds.
    public internal(set) var quality: CallQuality?
    /// The verification code that both people compare, or why there is none.
    public internal(set) var verification = VerificationStatus.waiting
    /// How the call ended; `nil` before its end.
    public internal(set) var outcome: Outcome?

    /// Whether this device called or is called.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        /// The remote peer called this device.
        case incoming
        /// This device called the remote peer.
        case outgoing
    }

    /// The state of a call.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// This device calls, and the peer's device has not reported yet that it rings.
        case calling
        /// The call rings: at the peer if it is ``Direction/outgoing``, here if it is ``Direction/incoming``.
        case ringing
        /// The call was answered, and ICE is looking for a path.
        case connecting
        /// Media and data can flow.
        case connected
        /// The path was lost, and ICE is looking for another one.
        case reconnecting
        /// The call is over and all its resources are closed. ``Call/outcome`` is how it ended.
        case ended
    }

    /// One of the two peers of a call.
    public enum Side: String, Sendable, Hashable, CaseIterable {
        /// This device.
        case local
        /// The remote peer.
        case remote
    }

    /// Whether the call was answered, here or by the peer.
    public var isAnswered: Bool {
        switch state {
        case .calling, .ringing: false
        case .connecting, .connected, .reconnecting: true
        case .ended: times.answered != nil
        }
    }

    /// Returns whether `id` is the identifier of the call, or was before glare.
    func isNamed(_ id: CallIdentifier) -> Bool { id == self.id || id == formerID }

    init(id: CallIdentifier, peer: Peer, direction: Direction, state: State, media: [CallMedia]) {
        self.id = id
        self.peer = peer
        self.direction = direction
        self.state = state
        self.media = media
    }
}

extension Call {
    /// A change of a call, with which ``WebRTCController/Event/call(_:_:)`` delivers it.
    public enum Change: Sendable, Hashable {
        /// Nothing changed: the reader has just begun, or has missed events, and receives the current value.
        case present
        /// The call began: this device calls, or is called.
        case began
        /// Both peers called each other, and the remote peer's call continues. ``Call/id`` and ``Call/direction`` are those of
        /// the remote peer's call from now on.
        case glare
        /// The peer's device rings.
        case ringing
        /// The call was answered, here or by the peer. ``connected`` follows.
        case answered
        /// The connection is established: media and data can flow.
        case connected
        /// The path was lost, and ICE is looking for another one.
        case connectionLost
        /// The connection is established again.
        case connectionRestored
        /// ``Call/verification`` changed.
        case verification
        /// ``Call/quality`` changed.
        case quality
        /// ``Peer/presence`` changed.
        case presence
        /// The call ended: see ``Call/outcome``.
        case ended
    }
}
