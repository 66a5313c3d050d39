/// A message of a client.
package enum ClientMessage: SignalingMessage {
    case hello(Hello)
    case bye
    case ack
    case ping(Ping)
    case pong(Ping)
    case iceServers
    case renew(Renewal)
    case watch(Watch)
    case pushToken(PushRegistration)
    case invite(Invite)
    case ringing(CallReference)
    case answer(Answer)
    case reject(Reject)
    case busy(CallReference)
    case cancel(Cancel)
    case candidates(Candidates)
    case negotiate(Negotiate)
    case signal(OutgoingSignal)
    case hangup(HangUp)
    case attach(Attach)
    /// A message of an unknown type, from a later version.
    case unknown(type: String)
    /// A message of a known type that is malformed.
    case malformed(MalformedMessage, type: String, call: CallID?)

    package init(type: String, from decoder: any Decoder) throws {
        switch type {
        case "hello": self = .hello(try Hello(from: decoder))
        case "bye": self = .bye
        case "ack": self = .ack
        case "ping": self = .ping(try Ping(from: decoder))
        case "pong": self = .pong(try Ping(from: decoder))
        case "iceServers": self = .iceServers
        case "renew": self = .renew(try Renewal(from: decoder))
        case "watch": self = .watch(try Watch(from: decoder))
        case "pushToken": self = .pushToken(try PushRegistration(from: decoder))
        case "invite": self = .invite(try Invite(from: decoder))
        case "ringing": self = .ringing(try CallReference(from: decoder))
        case "answer": self = .answer(try Answer(from: decoder))
        case "reject": self = .reject(try Reject(from: decoder))
        case "busy": self = .busy(try CallReference(from: decoder))
        case "cancel": self = .cancel(try Cancel(from: decoder))
        case "candidates": self = .candidates(try Candidates(from: decoder))
        case "negotiate": self = .negotiate(try Negotiate(from: decoder))
        case "signal": self = .signal(try OutgoingSignal(from: decoder))
        case "hangup": self = .hangup(try HangUp(from: decoder))
        case "attach": self = .attach(try Attach(from: decoder))
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
        case .hello(let payload): ("hello", payload)
        case .bye: ("bye", nil)
        case .ack: ("ack", nil)
        case .ping(let payload): ("ping", payload)
        case .pong(let payload): ("pong", payload)
        case .iceServers: ("iceServers", nil)
        case .renew(let payload): ("renew", payload)
        case .watch(let payload): ("watch", payload)
        case .pushToken(let payload): ("pushToken", payload)
        case .invite(let payload): ("invite", payload)
        case .ringing(let payload): ("ringing", payload)
        case .answer(let payload): ("answer", payload)
        case .reject(let payload): ("reject", payload)
        case .busy(let payload): ("busy", payload)
        case .cancel(let payload): ("cancel", payload)
        case .candidates(let payload): ("candidates", payload)
        case .negotiate(let payload): ("negotiate", payload)
        case .signal(let payload): ("signal", payload)
        case .hangup(let payload): ("hangup", payload)
        case .attach(let payload): ("attach", payload)
        case .unknown(let type), .malformed(_, let type, _): (type, nil)
        }
    }

    package var isNumbered: Bool? {
        switch self {
        case .unknown: nil
        default: !Self.unnumberedTypes.contains(type)
        }
    }

    private static let unnumberedTypes: Set = [
        "hello", "bye", "ack", "ping", "pong", "iceServers", "renew", "watch", "pushToken",
    ]

    /// The call that the message belongs to.
    package var call: CallID? {
        switch self {
        case .invite(let payload): payload.call
        case .ringing(let payload), .busy(let payload): payload.call
        case .answer(let payload): payload.call
        case .reject(let payload): payload.call
        case .cancel(let payload): payload.call
        case .candidates(let payload): payload.call
        case .negotiate(let payload): payload.call
        case .hangup(let payload): payload.call
        case .attach(let payload): payload.call
        case .signal(let payload):
            if case .call(let call) = payload.target { call } else { nil }
        case .malformed(_, _, let call): call
        case .hello, .bye, .ack, .ping, .pong, .iceServers, .renew, .watch, .pushToken, .unknown: nil
        }
    }
}
