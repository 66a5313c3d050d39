internal import RTCWire

/// The identifier of a call, which both sides know. The caller chooses it at random.
///
/// 16 to 64 characters of `A–Z a–z 0–9 - _`, as the Duet server's calls have; the kit's own have 22, from 128 random bits.
public struct CallIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: String

    /// - Returns: `nil` unless the text is an identifier.
    public init?(rawValue: String) {
        guard (16...64).contains(rawValue.utf8.count), rawValue.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.rawValue = rawValue
    }

    /// Returns a new identifier, which is as unpredictable as `random`.
    static func random(from random: any RandomSource) -> CallIdentifier {
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var (high, low) = (random.next(), random.next())
        // 128 bits are 21 times six, and two more.
        for _ in 0..<22 {
            text.append(characters[Int(low & 63)])
            low = low >> 6 | high << 58
            high >>= 6
        }
        return CallIdentifier(unchecked: String(decoding: text, as: UTF8.self))
    }

    /// Compares the bytes. If both peers call each other, the call with the smaller identifier continues.
    public static func < (first: CallIdentifier, second: CallIdentifier) -> Bool {
        first.rawValue.utf8.lexicographicallyPrecedes(second.rawValue.utf8)
    }

    private init(unchecked rawValue: String) {
        self.rawValue = rawValue
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
