/// A short code that both peers of a call show: if it is the same, nobody is in the middle. See docs/security.md.
public struct VerificationCode: Sendable, Hashable {
    /// Five of 64 pictures that are easy to tell apart and to name.
    public let emoji: [String]
    /// Nine digits, from the same secret, for who would rather read numbers to each other.
    public let digits: String

    init(emoji: [String], digits: String) {
        self.emoji = emoji
        self.digits = digits
    }
}
