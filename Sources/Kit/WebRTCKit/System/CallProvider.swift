package import Foundation
internal import RTCSignaling

/// The system's call interface, as ``SystemCalls`` uses it: CallKit on iOS and visionOS, a mock in tests.
///
/// CallKit's rules apply:
/// - each action is fulfilled or failed exactly once, unless it timed out or was dropped by a reset;
/// - after a reset the system knows no call;
/// - the system activates the audio session after a call was started or answered; the app never does.
@MainActor
package protocol CallProvider: AnyObject {
    /// Called for each request and event of the system. Set by ``SystemCalls``.
    var onEvent: (@MainActor (SystemCalls.Event) -> Void)? { get set }

    /// Shows an incoming call.
    ///
    /// - Parameters:
    ///   - call: The identifier of the call from now on.
    ///   - caller: The caller to show.
    ///   - completion: Called with `nil` when the call is shown, or with the reason why it is not. The call counts as
    ///     reported when this function returns.
    func reportIncomingCall(
        _ call: UUID, _ caller: SystemCalls.Caller, completion: @escaping @MainActor (SystemCalls.Refusal?) -> Void)
    func reportStartedConnecting(_ call: UUID)
    func reportConnected(_ call: UUID)
    /// Removes a call that ended without an action of the system.
    func reportEnded(_ call: UUID, because reason: SystemCalls.EndReason)

    /// Requests an action from the system, after the person has pressed a button of the app. If the system agrees, the
    /// action is delivered as an event.
    func request(_ request: SystemCalls.Request) async throws

    func fulfill(_ action: UUID)
    func fail(_ action: UUID)
}

extension SystemCalls {
    /// The remote peer of a call, as the system shows it.
    public struct Caller: Sendable, Hashable {
        /// The ID of the peer. For a push it has to be the one with which the invitation arrives: the `from` of
        /// ``SignalingServerDelegate/didReceiveSignal(_:from:isPolite:)``, or the caller's user name at a Duet server. Otherwise,
        /// set ``call``.
        public var peer: PeerID
        /// The name to show; `nil` to show the peer's identifier.
        public var displayName: String?
        /// Whether the name is verified: it comes from the app's own contacts, or the server has verified it. The
        /// peer's identifier is shown beside a name that is not.
        public var nameIsProven: Bool
        public var hasVideo: Bool
        /// The identifier of the call, if a push names it (``SignalSummary/call``). The invitation with this identifier then belongs
        /// to the call of the push, whichever ``peer`` the push names, and no other invitation does.
        public var call: CallIdentifier?

        public init(
            peer: PeerID, displayName: String? = nil, nameIsProven: Bool = false, hasVideo: Bool = false,
            call: CallIdentifier? = nil
        ) {
            self.peer = peer
            self.displayName = displayName
            self.nameIsProven = nameIsProven
            self.hasVideo = hasVideo
            self.call = call
        }

        /// The name that the system shows: `Bob`, `Bob (mallory)`; `nil` to show the identifier alone. A name that is
        /// not verified is shortened and loses its parentheses, so that it cannot hide the identifier.
        public var displayLabel: String? {
            guard let displayName, !displayName.isEmpty, displayName != peer else { return nil }
            if nameIsProven { return displayName }
            let label = UnprovenName.label(displayName, of: peer)
            return label == peer ? nil : label
        }
    }

    /// An event of the system's call interface.
    package enum Event: Sendable, Hashable {
        /// The system requests an action, and waits until it is fulfilled or failed.
        case action(Action)
        /// The system does not wait for this action any more.
        case actionTimedOut(UUID)
        /// The system has dropped all calls: they have to be ended.
        case reset
        /// The system has activated the audio session.
        case audioActivated
        case audioDeactivated
    }

    /// An action that the person has requested, in the system's interface or in the app.
    package struct Action: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            case start(Caller)
            case answer
            case end
            case mute(Bool)
            case hold(Bool)
        }

        /// The identifier of the action, with which it is fulfilled or failed.
        package let id: UUID
        package let call: UUID
        package let kind: Kind

        package init(id: UUID, call: UUID, kind: Kind) {
            self.id = id
            self.call = call
            self.kind = kind
        }
    }

    /// An action that the app requests from the system, with the call that it is for.
    package struct Request: Sendable, Hashable {
        package let call: UUID
        package let kind: Action.Kind

        package init(call: UUID, kind: Action.Kind) {
            self.call = call
            self.kind = kind
        }
    }

    /// The reason why a call is removed from the system's interface.
    public enum EndReason: Sendable, Hashable, CaseIterable {
        case failed
        case remoteEnded
        case unanswered
        /// Another device of the same user answered the call.
        case answeredElsewhere
        /// The person declined the call, on another device or in the app rather than in the system's interface: it was
        /// not missed.
        case declinedElsewhere
    }

    /// The reason why the system does not show an incoming call.
    package enum Refusal: Sendable, Hashable {
        /// The system has a call with this identifier already.
        case alreadyExists
        /// A Focus or the list of blocked callers keeps the call from being shown.
        case filtered
        /// Another reason. The message is human-readable.
        case other(String)
    }
}

extension SystemCalls.EndReason {
    /// The reason for the system when the kit has ended a call.
    ///
    /// - Parameter isUnanswered: Whether it is an incoming call that was still ringing.
    init(_ ending: CallEnding, isUnanswered: Bool) {
        self =
            switch ending {
            case .endedHere where isUnanswered: .declinedElsewhere
            case .endedHere, .endedByOtherSide: .remoteEnded
            case .unanswered: .unanswered
            case .answeredElsewhere: .answeredElsewhere
            case .declinedElsewhere: .declinedElsewhere
            case .failed: .failed
            }
    }
}
