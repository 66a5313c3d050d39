/// The message `watch`: the users whose presence a client observes.
package struct Watch: Hashable, Sendable, Codable {
    /// The users, at most ``maximumCount``.
    package var users: [UserID]

    package static let maximumCount = 100

    package init(users: [UserID]) {
        self.users = users
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        users = try container.decodeList(UserID.self, forKey: .users, atMost: Self.maximumCount)
    }
}

/// The message `presence`: the devices in which a user is signed in.
public struct Presence: Hashable, Sendable, Codable {
    public var user: UserID
    public var devices: [Device]

    public struct Device: Hashable, Sendable, Codable {
        public var device: SignalingDeviceID
        public var name: DisplayName?
        /// Whether the name comes from a credential that the server verified.
        public var nameIsProven: Bool
        public var state: State

        package init(
            device: SignalingDeviceID, name: DisplayName? = nil, nameIsProven: Bool = false, state: State
        ) {
            self.device = device
            self.name = name
            self.nameIsProven = nameIsProven && name != nil
            self.state = state
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                device: try container.decode(SignalingDeviceID.self, forKey: .device),
                name: try container.decodeIfPresent(DisplayName.self, forKey: .name),
                nameIsProven: try container.decodeIfPresent(Bool.self, forKey: .nameIsProven) ?? false,
                state: try container.decode(State.self, forKey: .state))
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(device, forKey: .device)
            try container.encodeIfPresent(name, forKey: .name)
            // Missing is `false`.
            if nameIsProven { try container.encode(true, forKey: .nameIsProven) }
            try container.encode(state, forKey: .state)
        }

        private enum CodingKeys: String, CodingKey {
            case device, name, nameIsProven, state
        }
    }

    public enum State: String, Hashable, Sendable, Codable {
        case online
        /// The connection is lost for now.
        case away
    }

    package init(user: UserID, devices: [Device]) {
        self.user = user
        self.devices = devices
    }
}

extension KeyedDecodingContainer {
    /// Decodes an array, and stops at the maximum number of elements.
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
