internal import Foundation
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

    /// The current call; `nil` if the state is `idle`.
    var call: CallRecord?
    /// The date of the current input, which calls note as their times; `nil` if their owner needs none.
    var date: Date?
    var timers = CallTimers()
    /// The calls that ended last, whose late messages are dropped.
    var endedCalls = EndedCalls()
    var earlyCandidates = EarlyCandidates()
    var expectedEndCalls = ExpectedEndCalls()
    /// Messages that wait to be sent, or failed.
    var outbox = Outbox()
    /// Whether incoming calls are accepted; otherwise they are answered `busy`.
    var takesCalls = true
    /// Whether so many connections are being closed that calls are not accepted automatically.
    var isCrowded = false
    /// Assumed open until reported otherwise.
    var isSignalingOpen = true
    var connectionCount = 0
    var effects = RingBuffer<Effect>()
    /// The counters of dropped messages, by reason.
    var counters = Counters()

    /// - Parameter random: The source of call identifiers and of the verification's nonces.
    init(settings: Settings = Settings(), random: any RandomSource) {
        self.settings = settings
        self.random = random
    }

    var state: CallManagerState { call?.stage ?? .idle }

    /// Reports a change of the current call to the app, and notes its time.
    mutating func report(_ change: Call.Change) {
        if let date { call?.call.times.note(change, at: date) }
        if let call = call?.call { effects.append(.report(change, call)) }
    }

    /// Updates something of the current call that has no effect on the core, and reports it.
    mutating func note(_ change: Call.Change, of connection: ConnectionNumber, _ update: (inout Call) -> Void) {
        guard call?.connection == connection, var new = call?.call else { return }
        update(&new)
        call?.call = new
        report(change)
    }

    /// The peer of the current call.
    var remotePeer: PeerID? { call?.peer }

    /// The next effect, or `nil`.
    mutating func nextEffect() -> Effect? { effects.popFirst() }

    /// The time at which ``advance(to:)`` has to be called; `nil` if no timer runs.
    var nextDeadline: Instant? { timers.earliest?.deadline }
}

extension CallCore {
    struct Settings: Sendable {
        /// The time limit for each `connecting`, at first and after each loss.
        var connectionTimeout: Duration = .seconds(30)
        /// The time limit for ringing, at either peer.
        var ringTimeout: Duration = .seconds(60)
        /// Whether calls are answered automatically. It may change at any time; a call that rings already continues to ring.
        var acceptsAutomatically = false
    }

    /// Distinguishes a call's connection from those of earlier calls, whose last events may still arrive.
    typealias ConnectionNumber = Int

    /// A request of the app.
    enum Action: Sendable {
        case call(PeerID, media: [CallMedia])
        case answer(accept: Bool)
        case end
    }

    /// An event of the signalling.
    enum SignalingEvent: Sendable {
        case signal([UInt8], from: PeerID, isPolite: Bool, details: SignalDetails = SignalDetails())
        case candidate([UInt8], from: PeerID)
        /// A signal that a connection of the kit has parsed.
        case typedSignal(CallSignal, from: PeerID, isPolite: Bool, SignalDetails)
        case typedCandidate(CallCandidate, from: PeerID)
        /// A `verify` signal of this call that cannot be parsed.
        case badVerification(CallIdentifier, from: PeerID)
        /// The state of the peer's connection to the server. Messages to its last session may be lost if it has a new one.
        case presence(CallIdentifier, Call.Presence, hasNewSession: Bool = false)
        /// The server has dropped a message to the peer, which is slow to read.
        case undeliverable(CallIdentifier)
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

    /// An event of the connection.
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

    /// A message for the signalling.
    enum Outgoing: Sendable, Hashable {
        case signal(CallSignal)
        case candidate(CallCandidate)
        case endCall
    }

    /// An action to carry out, in order.
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
