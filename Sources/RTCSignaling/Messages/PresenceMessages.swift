/// `watch`: whose presence a client wants to know.
public struct Watch: Hashable, Sendable, Codable {
    /// At most ``maximumCount``.
    public var users: [UserID]

    public static let maximumCount = 100

    public init(users: [UserID]) {
        self.users = users
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        users = try container.decodeList(UserID.self, forKey: .users, atMost: Self.maximumCount)
    }
}

/// `presence`: in which devices a user is signed in.
public struct Presence: Hashable, Sendable, Codable {
    public var user: UserID
    public var devices: [Device]

    public struct Device: Hashable, Sendable, Codable {
        public var device: SignalingDeviceID
        public var name: DisplayName?
        public var state: State

        public init(device: SignalingDeviceID, name: DisplayName? = nil, state: State) {
            self.device = device
            self.name = name
            self.state = state
        }
    }

    public enum State: String, Hashable, Sendable, Codable {
        case online
        /// Its socket is gone for now.
        case away
    }

    public init(user: UserID, devices: [Device]) {
        self.user = user
        self.devices = devices
    }
}

extension KeyedDecodingContainer {
    /// Decodes an array without looking at more of its elements than it may have.
    func decodeList<Element: Decodable>(
        _: Element.Type, forKey key: Key, atMost limit: Int
    ) throws -> [Element] {
        var list = try nestedUnkeyedContainer(forKey: key)
        var elements: [Element] = []
        while !list.isAtEnd {
            guard elements.count < limit else {
                throw MalformedMessage("there are more than \(limit)", isTooLarge: true, at: list.codingPath)
            }
            elements.append(try list.decode(Element.self))
        }
        return elements
    }
}
