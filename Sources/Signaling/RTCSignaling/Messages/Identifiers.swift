/// An identifier of the protocol, with a limited alphabet and length.
public protocol SignalingIdentifier: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible
where RawValue == String {
    /// Creates an identifier.
    ///
    /// - Returns: `nil` if the text is not a valid identifier of this kind.
    init?(rawValue: String)
}

extension SignalingIdentifier {
    public var description: String { rawValue }

    /// Compares the bytes, as the rule for glare does.
    public static func < (first: Self, second: Self) -> Bool {
        first.rawValue.utf8.lexicographicallyPrecedes(second.rawValue.utf8)
    }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(rawValue: text) else {
            throw MalformedMessage("this is not an identifier of its kind", at: decoder.codingPath)
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// A user who can be called: 1 to 64 characters of `A–Z a–z 0–9 . _ - @ + : = ~ |`.
public struct UserID: SignalingIdentifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard Alphabet.names.admits(rawValue, length: 1...64) else { return nil }
        self.rawValue = rawValue
    }
}

/// A program in which a user is signed in: the same characters as in a ``UserID``.
public struct SignalingDeviceID: SignalingIdentifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard Alphabet.names.admits(rawValue, length: 1...64) else { return nil }
        self.rawValue = rawValue
    }

    /// Returns a new identifier: 12 letters and digits.
    package static func random(using generator: inout some RandomNumberGenerator) -> SignalingDeviceID {
        SignalingDeviceID(unchecked: Alphabet.randomText(length: 12, using: &generator))
    }

    /// Returns a new identifier: 12 letters and digits.
    public static func random() -> SignalingDeviceID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    private init(unchecked rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The identifier of a call, chosen by its caller: 16 to 64 characters of `A–Z a–z 0–9 - _`.
public struct CallID: SignalingIdentifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard Alphabet.calls.admits(rawValue, length: 16...64) else { return nil }
        self.rawValue = rawValue
    }

    /// Returns a new identifier that cannot be guessed: 24 letters and digits, 120 bits.
    package static func random(using generator: inout some RandomNumberGenerator) -> CallID {
        CallID(unchecked: Alphabet.randomText(length: 24, using: &generator))
    }

    /// Returns a new identifier that cannot be guessed: 24 letters and digits, 120 bits.
    public static func random() -> CallID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    private init(unchecked rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The address of a user, or of one device of a user.
public struct SignalingAddress: Hashable, Sendable, Codable, CustomStringConvertible {
    public var user: UserID
    public var device: SignalingDeviceID?

    public init(user: UserID, device: SignalingDeviceID? = nil) {
        self.user = user
        self.device = device
    }

    /// Parses `bob` or `bob/k3v9`.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let user = UserID(rawValue: String(first)) else { return nil }
        self.user = user
        if parts.count > 1 {
            guard let device = SignalingDeviceID(rawValue: String(parts[1])) else { return nil }
            self.device = device
        }
    }

    public var description: String {
        guard let device else { return user.rawValue }
        return "\(user)/\(device)"
    }
}

/// A device of a user, as other clients see it.
public struct SignalingPeer: Hashable, Sendable, Codable {
    public var user: UserID
    public var device: SignalingDeviceID
    /// The display name. Unless ``nameIsProven``, the device chose it, and may have chosen that of another user: show
    /// ``displayLabel``.
    public var name: DisplayName?
    /// Whether the name comes from a credential that the server verified.
    public var nameIsProven: Bool

    package init(user: UserID, device: SignalingDeviceID, name: DisplayName? = nil, nameIsProven: Bool = false) {
        self.user = user
        self.device = device
        self.name = name
        self.nameIsProven = nameIsProven && name != nil
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            user: try container.decode(UserID.self, forKey: .user),
            device: try container.decode(SignalingDeviceID.self, forKey: .device),
            name: try container.decodeIfPresent(DisplayName.self, forKey: .name),
            nameIsProven: try container.decodeIfPresent(Bool.self, forKey: .nameIsProven) ?? false)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(user, forKey: .user)
        try container.encode(device, forKey: .device)
        try container.encodeIfPresent(name, forKey: .name)
        // Missing is `false`.
        if nameIsProven { try container.encode(true, forKey: .nameIsProven) }
    }

    private enum CodingKeys: String, CodingKey {
        case user, device, name, nameIsProven
    }

    public var address: SignalingAddress { SignalingAddress(user: user, device: device) }

    /// The name to show, with the user identifier beside it unless the name is verified or the same: `Bob`, `Bob
    /// (mallory)`, `bob`. A name that is not verified is shortened: see ``UnprovenName``.
    public var displayLabel: String {
        if nameIsProven, let name { return name.rawValue }
        return UnprovenName.label(name?.rawValue, of: user.rawValue)
    }
}

/// A display name: 1 to 64 characters in at most 256 bytes, without control characters.
public struct DisplayName: SignalingIdentifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count <= 256, (1...64).contains(rawValue.count) else { return nil }
        for scalar in rawValue.unicodeScalars {
            switch scalar.properties.generalCategory {
            // Format characters may reverse or hide the text after them.
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                // Zero-width joiners are part of emoji and of some scripts.
                guard scalar == "\u{200D}" || scalar == "\u{200C}" else { return nil }
            default: continue
            }
        }
        self.rawValue = rawValue
    }

    /// Creates a name from as much of the text as is valid; `nil` if nothing remains.
    public init?(shortening text: String) {
        let kept = text.unicodeScalars.filter { DisplayName(rawValue: String($0)) != nil }
        var name = String(String(String.UnicodeScalarView(kept)).prefix(64))
        while name.utf8.count > 256 { name.removeLast() }
        self.init(rawValue: name)
    }
}

/// The ASCII characters that an identifier may have.
struct Alphabet {
    private let low: UInt64
    private let high: UInt64

    static let names = Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@+:=~|")
    static let calls = Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    private init(_ characters: String) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in characters.utf8 {
            if byte < 64 { low |= 1 << byte } else { high |= 1 << (byte & 63) }
        }
        self.low = low
        self.high = high
    }

    func admits(_ text: String, length: ClosedRange<Int>) -> Bool {
        guard length.contains(text.utf8.count) else { return false }
        return text.utf8.allSatisfy { byte in
            byte < 128 && (byte < 64 ? low >> byte : high >> (byte & 63)) & 1 == 1
        }
    }

    /// Letters and digits without similar ones, five random bits each.
    static func randomText(length: Int, using generator: inout some RandomNumberGenerator) -> String {
        let characters = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
        let bytes = (0..<length).map { _ in characters[Int(generator.next() & 31)] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
