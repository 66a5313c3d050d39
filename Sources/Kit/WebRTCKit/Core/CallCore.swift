internal import RTCPeer
internal import RTCWire

/// The rules for calls, as a value: inputs are the requests of the app and the events of the signalling and the
/// connection, outputs are effects. It reads no clock: the time is an argument, on any monotonic clock.
///
/// There is at most one call. docs/webrtckit.md is the specification.
///
/// ```swift
/// try core.perform(.call("bob", media: [.audio]), at: now)
/// while let effect = core.nextEffect() { carryOut(effect) }
/// let wakeUp = core.nextDeadline  // then core.advance(to: now)
/// ```
///
/// After each input, take all effects, and read the deadline again. Carry out effects in order, and keep the order of
/// the messages to each peer.
struct CallCore {
    var settings: Settings
    /// Must be unpredictable outside of simulations.
    let random: any RandomSource

    var machine = CallStateMachine()
    /// The call that there is, unless the state is `idle`.
    var call: CallRecord?
    var timers = CallTimers()
    /// The calls that ended last. What still comes of them is dropped.
    var endedCalls = EndedCalls()
    var earlyCandidates = EarlyCandidates()
    var expectedEndCalls = ExpectedEndCalls()
    /// What could not be sent, or not yet.
    var outbox = Outbox()
    /// Whether there is anybody for whom a call could ring. Who calls meanwhile is told `busy`.
    var takesCalls = true
    /// Whether so many connections are being closed that no call is taken without asking.
    var isCrowded = false
    /// Taken for open until told otherwise.
    var isSignalingOpen = true
    var connectionCount = 0
    var effects = RingBuffer<Effect>()
    /// What was dropped, and why.
    var counters = Counters()

    /// - Parameter random: Where the identifiers of calls and the verification's secrets come from.
    init(settings: Settings = Settings(), random: any RandomSource) {
        self.settings = settings
        self.random = random
    }

    var state: CallManagerState { machine.state }

    /// Reports a change of the current call to the app.
    mutating func report(_ change: Call.Change) {
        if let call = call?.call { effects.append(.report(change, call)) }
    }

    /// Updates something of the current call that has no effect on the core, and reports it.
    mutating func note(_ change: Call.Change, of connection: ConnectionNumber, _ update: (inout Call) -> Void) {
        guard call?.connection == connection, var new = call?.call else { return }
        update(&new)
        call?.call = new
        report(change)
    }

    /// The other peer of the call that there is.
    var remotePeer: PeerID? { call?.peer }

    /// The next thing to do, or `nil`.
    mutating func nextEffect() -> Effect? { effects.popFirst() }

    /// When ``advance(to:)`` is to be called next; `nil` when nothing is due unless something happens.
    var nextDeadline: Instant? { timers.earliest?.deadline }
}

extension CallCore {
    struct Settings: Sendable {
        /// How long a call may be `connecting`, the first time and after each loss.
        var connectionTimeout: Duration = .seconds(30)
        /// How long a call may ring, here or there.
        var ringTimeout: Duration = .seconds(60)
        /// Whether calls are answered without asking. It may change at any time; what rings already goes on ringing.
        var acceptsAutomatically = false
    }

    /// Tells a call's connection from those of earlier calls, whose last events may still come.
    typealias ConnectionNumber = Int

    /// What the app wants.
    enum Action: Sendable {
        case call(PeerID, media: [CallMedia])
        case answer(accept: Bool)
        case end
    }

    /// What the signalling brought.
    enum SignalingEvent: Sendable {
        case signal([UInt8], from: PeerID, isPolite: Bool)
        case candidate([UInt8], from: PeerID)
        /// A signal that a connection of the kit has parsed.
        case typedSignal(CallSignal, from: PeerID, isPolite: Bool, SignalDetails)
        case typedCandidate(CallCandidate, from: PeerID)
        /// A `verify` signal of this call that cannot be parsed.
        case badVerification(CallIdentifier, from: PeerID)
        /// The state of the peer's connection to the server.
        case presence(CallIdentifier, Call.Presence)
        case endCall(from: PeerID)
        /// The server asks this device to call a peer; `media` is to be announced. Ignored during a call.
        case shouldConnect(to: PeerID, media: [CallMedia])
        case opened
        case closed
        /// The connection ended for good, and with it a call that was not answered.
        case lost(Call.Outcome)
        /// A message could not be sent. `message` is human-readable.
        case sendingFailed(Outgoing, to: PeerID, message: String)
    }

    /// What the connection did.
    enum ConnectionEvent: Sendable {
        /// A local description or candidate.
        case signal(Signal)
        case state(ConnectionState)
        /// The connection cannot be used: it could not be opened, the description of the invitation or the answer was
        /// rejected, or DTLS rejected the peer. Ends the call. Do not report later descriptions that are rejected.
        case failed(String)
        /// The SHA-256 fingerprints of the local and the remote certificate, once DTLS has verified them.
        case fingerprints(local: [UInt8], remote: [UInt8])
    }

    enum NetworkEvent: Sendable {
        /// The machine's addresses changed.
        case changed
        case lost
        case restored
    }

    /// What goes through the signalling.
    enum Outgoing: Sendable, Hashable {
        case signal(CallSignal)
        case candidate(CallCandidate)
        case endCall
    }

    /// What is to be done, in this order.
    enum Effect: Sendable {
        /// Create a connection that sends the recorded media. That of a callee waits for the offer.
        case open(ConnectionNumber, isPolite: Bool, waitsForOffer: Bool)
        case setPolite(ConnectionNumber, Bool)
        /// Pass a signal of the peer to the connection.
        case receive(ConnectionNumber, Signal)
        case restartICE(ConnectionNumber)
        /// Close the connection and free all resources of the call. After glare, another connection is opened at once.
        case close(ConnectionNumber)
        case send(Outgoing, to: PeerID)
        /// Report a change of a call, and the call after it.
        case report(Call.Change, Call)
        /// Report another caller, who was answered `busy`.
        case reportBusy(Call.Peer)
    }
}
