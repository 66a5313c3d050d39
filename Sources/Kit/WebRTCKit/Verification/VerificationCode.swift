/// A code that both peers of a call show (a short authentication string). If both people see the same code, nobody is
/// in the middle.
///
/// Comparing either form is enough. An attacker in the middle matches the emoji in one call of 2³⁰, the digits in one
/// of 10⁹. Source: docs/security.md.
public struct VerificationCode: Sendable, Hashable {
    /// Five of 64 emoji that are easy to tell apart and to name.
    public let emoji: [String]
    /// Nine digits, derived from the same secret.
    public let digits: String

    init(emoji: [String], digits: String) {
        self.emoji = emoji
        self.digits = digits
    }

    /// Emoji from the first 30 bits, 6 for each, the highest first; digits from bytes 8 to 15 as a big-endian number modulo 10⁹.
    /// `nil` if `digest` has not 32 bytes.
    init?(digest: [UInt8]) {
        guard digest.count == VerificationHash.byteCount else { return nil }
        let bits = digest[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        emoji = (0..<5).map { VerificationEmoji.all[Int(bits >> (26 - 6 * UInt32($0)) & 63)].symbol }
        let number = digest[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000_000
        let text = String(number)
        digits = String(repeating: "0", count: 9 - text.count) + text
    }

    /// The English names of the emoji, such as `dog` and `ice cream`.
    public var emojiNames: [String] { emoji.map { VerificationEmoji.name(of: $0) ?? $0 } }

    /// The digits in groups of three: `123 456 789`.
    public var groupedDigits: String {
        stride(from: 0, to: digits.count, by: 3)
            .map { String(digits.dropFirst($0).prefix(3)) }
            .joined(separator: " ")
    }
}

extension VerificationCode: CustomStringConvertible {
    /// Emoji and digits in one line: `🐶 🐱 🐮 🐷 🐨 123 456 789`.
    public var description: String { emoji.joined(separator: " ") + " " + groupedDigits }
}
