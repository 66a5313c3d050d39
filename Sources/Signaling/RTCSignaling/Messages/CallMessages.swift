/// The message `invite`, as the caller sends it.
package struct Invite: Hashable, Sendable, Codable {
    package var call: CallID
    package var to: SignalingAddress
    /// How long the call may ring, in seconds, within ``lifetimes``.
    package var lifetime: Double
    package var media: [InvitedMedia]?
    package var description: CallDescription?
    /// Whether the invitation is repeated, because the server has lost it. The callee's devices may reconnect later, so
    /// the call does not end if none is there.
    package var again: Bool

    package static let lifetimes: ClosedRange<Double> = 1...120
    package static let defaultLifetime = 30.0

    package init(
        call: CallID, to: SignalingAddress, lifetime: Double = defaultLifetime, media: [InvitedMedia]? = nil,
        description: CallDescription? = nil, again: Bool = false
    ) {
        self.call = call
        self.to = to
        self.lifetime = lifetime
        self.media = media
        self.description = description
        self.again = again
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        call = try container.decode(CallID.self, forKey: .call)
        to = try container.decode(SignalingAddress.self, forKey: .to)
        lifetime = try container.decodeIfPresent(Double.self, forKey: .lifetime) ?? Self.defaultLifetime
        guard Self.lifetimes.contains(lifetime) else {
            throw MalformedMessage("a lifetime is 1 to 120 seconds", at: decoder.codingPath)
        }
        media = try InvitedMedia.decodeList(from: container, forKey: .media)
        description = try container.decodeIfPresent(CallDescription.self, forKey: .description)
        again = try container.decodeIfPresent(Bool.self, forKey: .again) ?? false
    }
}

/// The message `invite`, as a device of the callee receives it.
public struct IncomingInvite: Hashable, Sendable, Codable {
    public var call: CallID
    public var from: SignalingPeer
    /// How long the call may still ring, in seconds.
    public var lifetime: Double
    public var media: [InvitedMedia]?
    public var description: CallDescription?
    /// Whether the receiver is the polite peer of this call: always `true`.
    public var polite: Bool

    package init(
        call: CallID, from: SignalingPeer, lifetime: Double, media: [InvitedMedia]? = nil,
        description: CallDescription? = nil, polite: Bool = true
    ) {
        self.call = call
        self.from = from
        self.lifetime = lifetime
        self.media = media
        self.description = description
        self.polite = polite
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        call = try container.decode(CallID.self, forKey: .call)
        from = try container.decode(SignalingPeer.self, forKey: .from)
        // Limited to the valid range, because timers depend on it.
        let seconds = try container.decode(Double.self, forKey: .lifetime)
        lifetime = min(max(seconds, 0), Invite.lifetimes.upperBound)
        media = try InvitedMedia.decodeList(from: container, forKey: .media)
        description = try container.decodeIfPresent(CallDescription.self, forKey: .description)
        polite = try container.decodeIfPresent(Bool.self, forKey: .polite) ?? true
    }
}

/// The media that a caller announces.
public enum InvitedMedia: String, Hashable, Sendable, Codable {
    case audio, video, data

    /// Decodes a list without its unknown kinds.
    static func decodeList<Key>(from container: KeyedDecodingContainer<Key>, forKey key: Key) throws -> [InvitedMedia]?
    {
        guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
        return try container.decodeList(String.self, forKey: key, atMost: 8).compactMap(InvitedMedia.init(rawValue:))
    }
}

/// A message with only a call identifier: `ringing`, `busy`, `noAnswer`, `unavailable`, `attached`.
public struct CallReference: Hashable, Sendable, Codable {
    public var call: CallID

    package init(call: CallID) {
        self.call = call
    }
}

/// The message `answer`: accepts a call.
public struct Answer: Hashable, Sendable, Codable {
    public var call: CallID
    public var description: CallDescription?

    package init(call: CallID, description: CallDescription? = nil) {
        self.call = call
        self.description = description
    }
}

/// The message `reject`: declines a call.
public struct Reject: Hashable, Sendable, Codable {
    public var call: CallID
    public var reason: CallReason?

    package init(call: CallID, reason: CallReason? = nil) {
        self.call = call
        self.reason = reason
    }
}

/// The message `cancel`: ends a call before it was answered.
public struct Cancel: Hashable, Sendable, Codable {
    public var call: CallID
    public var reason: CallReason?

    package init(call: CallID, reason: CallReason? = nil) {
        self.call = call
        self.reason = reason
    }
}

/// The message `hangup`: ends a call after it was answered.
public struct HangUp: Hashable, Sendable, Codable {
    public var call: CallID
    public var reason: CallReason?

    package init(call: CallID, reason: CallReason? = nil) {
        self.call = call
        self.reason = reason
    }
}

/// The reason for the end of a call, in one word. Unknown words are forwarded.
public struct CallReason: SignalingIdentifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard Alphabet.names.admits(rawValue, length: 1...64) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ rawValue: StaticString) {
        self.rawValue = rawValue.description
    }

    // `reject`
    public static let declined = CallReason("declined")
    // `cancel`
    public static let cancelled = CallReason("cancelled")
    public static let connectionLost = CallReason("connectionLost")
    public static let rejectedElsewhere = CallReason("rejectedElsewhere")
    public static let glare = CallReason("glare")
    // `hangup`
    public static let normal = CallReason("normal")
    public static let connectionFailed = CallReason("connectionFailed")
    public static let mediaFailed = CallReason("mediaFailed")
    public static let left = CallReason("left")
    public static let replaced = CallReason("replaced")
}

/// The message `candidates`: ICE candidates of a call.
public struct Candidates: Hashable, Sendable, Codable {
    public var call: CallID
    /// The candidates, at most ``maximumCount``.
    public var candidates: [CallCandidate]

    package static let maximumCount = 32

    package init(call: CallID, candidates: [CallCandidate]) {
        self.call = call
        self.candidates = candidates
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        call = try container.decode(CallID.self, forKey: .call)
        candidates = try container.decodeList(CallCandidate.self, forKey: .candidates, atMost: Self.maximumCount)
    }
}

/// The message `negotiate`: a session description of an answered call.
public struct Negotiate: Hashable, Sendable, Codable {
    public var call: CallID
    public var description: CallDescription

    package init(call: CallID, description: CallDescription) {
        self.call = call
        self.description = description
    }
}

/// The message `glare`: two users called each other, and this invitation is withdrawn.
public struct Glare: Hashable, Sendable, Codable {
    /// The withdrawn call, which is that of the receiver.
    public var call: CallID
    /// The call to answer at once.
    public var winner: CallID
}

/// The message `peer`: the state of the peer's connection to the server.
public struct PeerState: Hashable, Sendable, Codable {
    public var call: CallID
    public var state: State

    public enum State: String, Hashable, Sendable, Codable {
        /// The connection is lost, and the session waits for it.
        case away
        /// The connection is restored.
        case present
        /// The session has ended.
        case gone
    }
}

/// The message `attach`: announces a connected call to a server that does not know it, so that its signalling
/// continues.
package struct Attach: Hashable, Sendable, Codable {
    package var call: CallID
    /// The peer, with its device.
    package var peer: SignalingAddress
    /// Whether the sender was the caller.
    package var caller: Bool
}

/// The message `signal`: data between devices, within a call or outside of one.
package struct OutgoingSignal: Hashable, Sendable, Codable {
    package var target: Target
    /// The kind of the data, 1 to 32 characters.
    package var kind: CallReason?
    package var data: [UInt8]

    package enum Target: Hashable, Sendable {
        case address(SignalingAddress)
        case call(CallID)
    }

    private enum Key: String, CodingKey {
        case to, call, kind, data
    }

    package init(target: Target, kind: CallReason? = nil, data: [UInt8]) {
        self.target = target
        self.kind = kind
        self.data = data
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let call = try container.decodeIfPresent(CallID.self, forKey: .call) {
            target = .call(call)
        } else {
            target = .address(try container.decode(SignalingAddress.self, forKey: .to))
        }
        kind = try container.decodeIfPresent(CallReason.self, forKey: .kind)
        guard kind?.rawValue.utf8.count ?? 0 <= 32 else {
            throw MalformedMessage("the kind of a signal is too long", isTooLarge: true, at: decoder.codingPath)
        }
        data = try container.decode(Base64Data.self, forKey: .data).bytes
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch target {
        case .address(let address): try container.encode(address, forKey: .to)
        case .call(let call): try container.encode(call, forKey: .call)
        }
        try container.encodeIfPresent(kind, forKey: .kind)
        try container.encode(Base64Data(data), forKey: .data)
    }
}

/// The message `signal`, as it is received.
public struct IncomingSignal: Hashable, Sendable, Codable {
    /// The call that it belongs to; `nil` outside of one.
    public var call: CallID?
    public var from: SignalingPeer
    public var polite: Bool
    public var kind: CallReason?
    public var data: [UInt8]

    private enum Key: String, CodingKey {
        case call, from, polite, kind, data
    }

    package init(call: CallID? = nil, from: SignalingPeer, polite: Bool, kind: CallReason? = nil, data: [UInt8]) {
        self.call = call
        self.from = from
        self.polite = polite
        self.kind = kind
        self.data = data
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        call = try container.decodeIfPresent(CallID.self, forKey: .call)
        from = try container.decode(SignalingPeer.self, forKey: .from)
        polite = try container.decode(Bool.self, forKey: .polite)
        kind = try container.decodeIfPresent(CallReason.self, forKey: .kind)
        data = try container.decode(Base64Data.self, forKey: .data).bytes
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(call, forKey: .call)
        try container.encode(from, forKey: .from)
        try container.encode(polite, forKey: .polite)
        try container.encodeIfPresent(kind, forKey: .kind)
        try container.encode(Base64Data(data), forKey: .data)
    }
}
