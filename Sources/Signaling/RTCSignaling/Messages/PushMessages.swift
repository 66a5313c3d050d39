public import RTCWire

/// The message `pushToken`: how the server wakes this device when somebody calls while it has no connection.
package struct PushRegistration: Hashable, Sendable, Codable {
    /// The token; `nil` removes that of this device.
    package var token: PushToken?

    package init(token: PushToken?) {
        self.token = token
    }

    private enum Key: String, CodingKey {
        case service, token
    }

    /// The services that deliver pushes.
    private enum Service: String, Codable {
        case apns
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        token = try container.decodeIfPresent(PushToken.self, forKey: .token)
        guard token != nil else { return }
        guard try container.decode(String.self, forKey: .service) == Service.apns.rawValue else {
            throw MalformedMessage("this service is not known", at: container.codingPath + [Key.service])
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        guard let token else { return }
        try container.encode(Service.apns, forKey: .service)
        try container.encode(token, forKey: .token)
    }
}

/// A device's token at Apple's push service (APNs): 16 to 100 bytes as hexadecimal digits, in lower case.
///
/// Its description is a placeholder, so that it can be logged: a token with the app's key wakes a phone.
public struct PushToken: SignalingIdentifier, Confidential {
    public let rawValue: String

    /// The number of digits. Apple's tokens have 64, and may become longer.
    static let lengths = 32...200

    public init?(rawValue: String) {
        let bytes = rawValue.utf8
        guard Self.lengths.contains(bytes.count), bytes.count.isMultiple(of: 2), bytes.allSatisfy(Self.isDigit) else {
            return nil
        }
        self.rawValue = rawValue.lowercased()
    }

    /// Creates a token from the bytes that PushKit delivers.
    public init?(bytes: some Sequence<UInt8>) {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        self.init(rawValue: String(decoding: text, as: UTF8.self))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    public var description: String { "a push token" }
}
