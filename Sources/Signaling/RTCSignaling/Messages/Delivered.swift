/// A message of another client, with its sender.
@dynamicMemberLookup
public struct Delivered<Payload: Codable & Hashable & Sendable>: Hashable, Sendable, Codable {
    public var payload: Payload
    /// The sender; `nil` for the server itself.
    public var from: SignalingPeer?
    /// In `answer` and `negotiate`: whether the receiver is the polite peer.
    public var polite: Bool?

    private enum Key: String, CodingKey {
        case from, polite
    }

    package init(_ payload: Payload, from: SignalingPeer? = nil, polite: Bool? = nil) {
        self.payload = payload
        self.from = from
        self.polite = polite
    }

    public subscript<Value>(dynamicMember member: KeyPath<Payload, Value>) -> Value { payload[keyPath: member] }

    public init(from decoder: any Decoder) throws {
        payload = try Payload(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        from = try container.decodeIfPresent(SignalingPeer.self, forKey: .from)
        polite = try container.decodeIfPresent(Bool.self, forKey: .polite)
    }

    public func encode(to encoder: any Encoder) throws {
        try payload.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(from, forKey: .from)
        try container.encodeIfPresent(polite, forKey: .polite)
    }
}
