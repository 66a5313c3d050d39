public import Foundation
internal import RTCSignaling

/// The system's list of calls as ``SystemCalls`` sees it: CallKit on iOS and visionOS, a stand-in in tests.
///
/// The rules are CallKit's:
/// - each action is fulfilled or failed exactly once; one that has timed out, or that a reset has dropped, not at all;
/// - after a reset the system knows no call any more;
/// - the system activates the audio session once a call was started or answered; the app never does.
@MainActor
public protocol CallProvider: AnyObject {
    /// What the system asks and tells. Set by ``SystemCalls``.
    var onEvent: (@MainActor (SystemCalls.Event) -> Void)? { get set }

    /// Shows an incoming call.
    ///
    /// - Parameters:
    ///   - call: Names the call from now on.
    ///   - caller: Who calls.
    ///   - completion: Called with `nil` once the call is shown, and with the reason if it is not. The call counts as reported
    ///     when this function returns.
    func reportIncomingCall(
        _ call: UUID, _ caller: SystemCalls.Caller, completion: @escaping @MainActor (SystemCalls.Refusal?) -> Void)
    func reportStartedConnecting(_ call: UUID)
    func reportConnected(_ call: UUID)
    /// Takes a call from the list that was not ended there.
    func reportEnded(_ call: UUID, because reason: SystemCalls.EndReason)

    /// Asks the system for what a person wants by a button of the app. If it agrees, the action comes as an event.
    func request(_ request: SystemCalls.Request) async throws

    func fulfill(_ action: UUID)
    func fail(_ action: UUID)
}

extension SystemCalls {
    /// Who calls or is called, as the system shows it.
    public struct Caller: Sendable, Hashable {
        public var peer: PeerID
        /// The peer's identifier is shown if there is no name.
        public var displayName: String?
        /// Whether the app knows that the name is this peer's: from its own list of people, or since its server has proved it. The
        /// peer's identifier is shown beside one that the peer may have chosen itself.
        public var nameIsProven: Bool
        public var hasVideo: Bool

        public init(peer: PeerID, displayName: String? = nil, nameIsProven: Bool = false, hasVideo: Bool = false) {
            self.peer = peer
            self.displayName = displayName
            self.nameIsProven = nameIsProven
            self.hasVideo = hasVideo
        }

        /// What the system is given to show: `Bob`, `Bob (mallory)`; `nil` where there is only the identifier. An unproven name is
        /// cut, and loses its parentheses: nothing in it can hide the identifier.
        public var nameForPeople: String? {
            guard let displayName, !displayName.isEmpty, displayName != peer else { return nil }
            if nameIsProven { return displayName }
            let label = UnprovenName.label(displayName, of: peer)
            return label == peer ? nil : label
        }
    }

    /// What the system tells.
    public enum Event: Sendable, Hashable {
        /// It wants something done, and waits until that is fulfilled or failed.
        case action(Action)
        /// It waits for an action no longer.
        case actionTimedOut(UUID)
        /// It has forgotten all calls, and they are to be ended.
        case reset
        /// Sound may begin.
        case audioActivated
        case audioDeactivated
    }

    /// What the system wants done: the person has touched something in its screens, or in ours.
    public struct Action: Sendable, Hashable {
        public enum Kind: Sendable, Hashable {
            case start(Caller)
            case answer
            case end
            case mute(Bool)
            case hold(Bool)
        }

        /// Names the action when it is fulfilled or failed.
        public let id: UUID
        public let call: UUID
        public let kind: Kind

        public init(id: UUID, call: UUID, kind: Kind) {
            self.id = id
            self.call = call
            self.kind = kind
        }
    }

    /// What the app asks the system for: the same things, with the call that they are meant for.
    public struct Request: Sendable, Hashable {
        public let call: UUID
        public let kind: Action.Kind

        public init(call: UUID, kind: Action.Kind) {
            self.call = call
            self.kind = kind
        }
    }

    /// Why a call was taken from the list.
    public enum EndReason: Sendable, Hashable, CaseIterable {
        case failed
        case remoteEnded
        case unanswered
        /// Another device of this person's has the call.
        case answeredElsewhere
        /// The person has declined it, on another device or by the app and not by the system's screens: it was not missed.
        case declinedElsewhere
    }

    /// Why the system does not show an incoming call.
    public enum Refusal: Sendable, Hashable {
        /// It has a call by that identifier.
        case alreadyExists
        /// The person does not want to be disturbed, or not by this peer.
        case filtered
        /// For a person.
        case other(String)
    }
}

extension SystemCalls.EndReason {
    /// What the system is told of a call that the kit has ended.
    ///
    /// - Parameter isUnanswered: Whether it is an incoming call that rang until then.
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
