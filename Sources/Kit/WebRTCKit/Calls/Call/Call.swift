public import RTC

/// A call between this device and another peer, from its first moment to its end, as a value.
///
/// A call does not change: each change makes another value with the same ``id``, which ``WebRTCController/calls`` and
/// ``WebRTCController/events`` give out. ``WebRTCController/call`` is the newest.
///
/// ```swift
/// for await call in controller.calls {
///     show(call.peer.label, call.state)
///     if let outcome = call.outcome { show(outcome) }
/// }
/// ```
public struct Call: Sendable, Hashable, Identifiable {
    /// The identifier of the call, which is the same at both sides. It changes once where both sides call each other and the
    /// peer's call is the one that continues (``Change/glare``).
    public internal(set) var id: CallIdentifier
    /// The other side.
    public internal(set) var peer: Peer
    /// Which side called.
    public internal(set) var direction: Direction
    /// How far the call is.
    public internal(set) var state: State
    /// The media that the caller had in mind when it called. It may be empty: older peers do not say.
    public internal(set) var media: [CallMedia]
    /// When the call began, was answered, connected and ended.
    public internal(set) var times = Times()
    /// How good the call is, and what makes it worse; `nil` in its first seconds.
    public internal(set) var quality: CallQuality?
    /// The short code to compare, or why there is none.
    public internal(set) var verification = VerificationStatus.waiting
    /// How the call ended; `nil` until it has.
    public internal(set) var outcome: Outcome?

    /// Which side called.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        /// The other side called this device.
        case incoming
        /// This device called.
        case outgoing
    }

    /// How far a call is.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The peer is called, and its device has not said yet that it rings.
        case calling
        /// It rings: at the peer, or here if the call is ``Direction/incoming``.
        case ringing
        /// The call was answered, and no path is found yet.
        case connecting
        /// Media and data can flow.
        case connected
        /// The path was lost, and another one is looked for.
        case reconnecting
        /// The call is over, and everything of it is closed. ``Call/outcome`` says how it ended.
        case ended
    }

    /// The end of a call at which something was done.
    public enum Side: String, Sendable, Hashable, CaseIterable {
        /// This device.
        case local
        /// The other side.
        case remote
    }

    /// Whether the call was answered, at this device or by the peer.
    public var isAnswered: Bool {
        switch state {
        case .calling, .ringing: false
        case .connecting, .connected, .reconnecting: true
        case .ended: times.answered != nil
        }
    }

    init(id: CallIdentifier, peer: Peer, direction: Direction, state: State, media: [CallMedia]) {
        self.id = id
        self.peer = peer
        self.direction = direction
        self.state = state
        self.media = media
    }
}

extension Call {
    /// What changed in a call.
    public enum Change: Sendable, Hashable {
        /// The call is told of because reading began, or after events were missed: this is how it is now.
        case present
        /// The call began: this device calls, or is called.
        case began
        /// Both sides called each other, and the peer's call is the one that continues: ``Call/id`` and ``Call/direction`` are
        /// the peer's from now on.
        case glare
        /// It rings at the peer.
        case ringing
        /// The call was answered, here or there. It is connected next.
        case answered
        /// There is a path: media and data can flow.
        case connected
        /// The path was lost, and another one is looked for.
        case connectionLost
        /// There is a path again.
        case connectionRestored
        /// ``Call/verification`` changed.
        case verification
        /// ``Call/quality`` changed.
        case quality
        /// ``Peer/presence`` changed.
        case presence
        /// The call is over: see ``Call/outcome``.
        case ended
    }
}
