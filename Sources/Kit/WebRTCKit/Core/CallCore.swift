internal import RTCPeer
internal import RTCWire

/// The rules of a kit's calls, as a value: what the app, the signalling and the connection do goes in, what is to be done
/// comes out. It reads no clock: time is an argument, counted from any moment.
///
/// There is at most one call. docs/webrtckit.md is the specification.
///
/// ```swift
/// try core.perform(.call("bob", media: [.audio]), at: now)
/// while let effect = core.nextEffect() { carryOut(effect) }
/// let wakeUp = core.nextDeadline  // then core.advance(to: now)
/// ```
///
/// After each input, take all effects and look at the deadline again. Effects are carried out in their order; what is sent
/// to one peer keeps it.
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
    var farewells = Farewells()
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
        /// A signal as a value, from a connection of the kit's own.
        case typedSignal(CallSignal, from: PeerID, isPolite: Bool, SignalDetails)
        case typedCandidate(CallCandidate, from: PeerID)
        /// A `verify` signal of this call that cannot be parsed.
        case badVerification(CallIdentifier, from: PeerID)
        /// What the server says of the other side's connection to it.
        case presence(CallIdentifier, Call.Presence)
        case endCall(from: PeerID)
        /// The server wants this peer called; `media` is what a call would begin with. Nothing while there is a call.
        case shouldConnect(to: PeerID, media: [CallMedia])
        case opened
        case closed
        /// The connection ended for good: a call that was not answered ends so.
        case lost(Call.Outcome)
        /// What the core wanted sent could not be; `message` is for a person.
        case sendingFailed(Outgoing, to: PeerID, message: String)
    }

    /// What the connection did.
    enum ConnectionEvent: Sendable {
        /// A description or a candidate of ours.
        case signal(Signal)
        case state(ConnectionState)
        /// Nothing can come of it: it could not be opened, the invitation's or the answer's description could not be used,
        /// or DTLS refused the other side. Ends the call; a later description that is refused should not come here.
        case failed(String)
        /// Our certificate's and the other's SHA-256 fingerprints, once DTLS has verified them.
        case fingerprints(local: [UInt8], remote: [UInt8])
    }

    enum NetworkEvent: Sendable {
        /// The machine has other addresses now.
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
        /// Makes a connection that sends what is recorded. A callee's waits for the offer.
        case open(ConnectionNumber, isPolite: Bool, waitsForOffer: Bool)
        case setPolite(ConnectionNumber, Bool)
        /// Gives the connection what the other peer signalled.
        case receive(ConnectionNumber, Signal)
        case restartICE(ConnectionNumber)
        /// Closes it and frees everything of the call. When both called each other, another one is opened at once.
        case close(ConnectionNumber)
        case send(Outgoing, to: PeerID)
        /// Reports a change of a call, and the call after it.
        case report(Call.Change, Call)
        /// Reports another caller, who was answered `busy`.
        case reportBusy(Call.Peer)
    }
}
