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
        switch self {
        case .welcome(let payload): try payload.encode(to: encoder)
        case .ping(let payload), .pong(let payload): try payload.encode(to: encoder)
        case .error(let payload): try payload.encode(to: encoder)
        case .goingAway(let payload): try payload.encode(to: encoder)
        case .iceServers(let payload): try payload.encode(to: encoder)
        case .presence(let payload): try payload.encode(to: encoder)
        case .invite(let payload): try payload.encode(to: encoder)
        case .ringing(let payload), .answeredElsewhere(let payload), .busy(let payload):
            try payload.encode(to: encoder)
        case .answer(let payload): try payload.encode(to: encoder)
        case .reject(let payload): try payload.encode(to: encoder)
        case .cancel(let payload): try payload.encode(to: encoder)
        case .noAnswer(let payload), .unavailable(let payload), .attached(let payload):
            try payload.encode(to: encoder)
        case .glare(let payload): try payload.encode(to: encoder)
        case .candidates(let payload): try payload.encode(to: encoder)
        case .negotiate(let payload): try payload.encode(to: encoder)
        case .signal(let payload): try payload.encode(to: encoder)
        case .hangup(let payload): try payload.encode(to: encoder)
        case .peer(let payload): try payload.encode(to: encoder)
        case .ack, .unknown, .malformed: break
        }
    }

    package var type: String {
        switch self {
        case .welcome: "welcome"
        case .ack: "ack"
        case .ping: "ping"
        case .pong: "pong"
        case .error: "error"
        case .goingAway: "goingAway"
        case .iceServers: "iceServers"
        case .presence: "presence"
        case .invite: "invite"
        case .ringing: "ringing"
        case .answer: "answer"
        case .answeredElsewhere: "answeredElsewhere"
        case .reject: "reject"
        case .busy: "busy"
        case .cancel: "cancel"
        case .noAnswer: "noAnswer"
        case .unavailable: "unavailable"
        case .glare: "glare"
        case .candidates: "candidates"
        case .negotiate: "negotiate"
        case .signal: "signal"
        case .hangup: "hangup"
        case .peer: "peer"
        case .attached: "attached"
        case .unknown(let type), .malformed(_, let type, _): type
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
