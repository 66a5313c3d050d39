/// A message of the server.
public enum ServerMessage: SignalingMessage {
    case welcome(Welcome)
    case ack
    case ping(Ping)
    case pong(Ping)
    case error(SignalingErrorMessage)
    case goingAway(GoingAway)
    case iceServers(ICEServers)
    case presence(Presence)
    case invite(IncomingInvite)
    case ringing(Delivered<CallReference>)
    case answer(Delivered<Answer>)
    case answeredElsewhere(Delivered<CallReference>)
    case reject(Delivered<Reject>)
    case busy(Delivered<CallReference>)
    case cancel(Delivered<Cancel>)
    case noAnswer(CallReference)
    case unavailable(CallReference)
    case glare(Glare)
    case candidates(Delivered<Candidates>)
    case negotiate(Delivered<Negotiate>)
    case signal(IncomingSignal)
    case hangup(Delivered<HangUp>)
    case peer(PeerState)
    case attached(CallReference)
    /// A message of an unknown type, from a later version.
    case unknown(type: String)
    /// A message of a known type that is malformed.
    case malformed(MalformedMessage, type: String, call: CallID?)

    package init(type: String, from decoder: any Decoder) throws {
        switch type {
        case "welcome": self = .welcome(try Welcome(from: decoder))
        case "ack": self = .ack
        case "ping": self = .ping(try Ping(from: decoder))
        case "pong": self = .pong(try Ping(from: decoder))
        case "error": self = .error(try SignalingErrorMessage(from: decoder))
        case "goingAway": self = .goingAway(try GoingAway(from: decoder))
        case "iceServers": self = .iceServers(try ICEServers(from: decoder))
        case "presence": self = .presence(try Presence(from: decoder))
        case "invite": self = .invite(try IncomingInvite(from: decoder))
        case "ringing": self = .ringing(try Delivered(from: decoder))
        case "answer": self = .answer(try Delivered(from: decoder))
        case "answeredElsewhere": self = .answeredElsewhere(try Delivered(from: decoder))
        case "reject": self = .reject(try Delivered(from: decoder))
        case "busy": self = .busy(try Delivered(from: decoder))
        case "cancel": self = .cancel(try Delivered(from: decoder))
        case "noAnswer": self = .noAnswer(try CallReference(from: decoder))
        case "unavailable": self = .unavailable(try CallReference(from: decoder))
        case "glare": self = .glare(try Glare(from: decoder))
        case "candidates": self = .candidates(try Delivered(from: decoder))
        case "negotiate": self = .negotiate(try Delivered(from: decoder))
        case "signal": self = .signal(try IncomingSignal(from: decoder))
        case "hangup": self = .hangup(try Delivered(from: decoder))
        case "peer": self = .peer(try PeerState(from: decoder))
        case "attached": self = .attached(try CallReference(from: decoder))
        default: self = .unknown(type: type)
        }
    }

    package init(malformed reason: MalformedMessage, type: String, call: CallID?) {
        self = .malformed(reason, type: type, call: call)
    }

    package func encodeMembers(to encoder: any Encoder) throws {
        try parts.members?.encode(to: encoder)
    }

    package var type: String { parts.type }

    /// The type, and the members beside it; `nil` for none.
    private var parts: (type: String, members: (any Encodable)?) {
        switch self {
        case .welcome(let payload): ("welcome", payload)
        case .ack: ("ack", nil)
        case .ping(let payload): ("ping", payload)
        case .pong(let payload): ("pong", payload)
        case .error(let payload): ("error", payload)
        case .goingAway(let payload): ("goingAway", payload)
        case .iceServers(let payload): ("iceServers", payload)
        case .presence(let payload): ("presence", payload)
        case .invite(let payload): ("invite", payload)
        case .ringing(let payload): ("ringing", payload)
        case .answer(let payload): ("answer", payload)
        case .answeredElsewhere(let payload): ("answeredElsewhere", payload)
        case .reject(let payload): ("reject", payload)
        case .busy(let payload): ("busy", payload)
        case .cancel(let payload): ("cancel", payload)
        case .noAnswer(let payload): ("noAnswer", payload)
        case .unavailable(let payload): ("unavailable", payload)
        case .glare(let payload): ("glare", payload)
        case .candidates(let payload): ("candidates", payload)
        case .negotiate(let payload): ("negotiate", payload)
        case .signal(let payload): ("signal", payload)
        case .hangup(let payload): ("hangup", payload)
        case .peer(let payload): ("peer", payload)
        case .attached(let payload): ("attached", payload)
        case .unknown(let type), .malformed(_, let type, _): (type, nil)
        }
    }

    package var isNumbered: Bool? {
        switch self {
        case .welcome, .ack, .ping, .pong, .goingAway, .iceServers, .presence: false
        case .error(let error): !error.fatal
        case .unknown, .malformed: nil
        default: true
        }
    }
}
