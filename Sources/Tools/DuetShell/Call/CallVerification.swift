import WebRTCKit

// The verification code, by which two people detect an attacker in the middle: docs/security.md.
extension VerificationStatus {
    /// `{"event":"verification", …}`
    var event: JSONValue {
        var members: JSONValue.Members = [:]
        switch self {
        case .waiting: members = ["status": "waiting"]
        case .code(let code):
            members = ["status": "code", "emoji": code.emoji, "names": code.emojiNames, "digits": code.digits]
        case .failed: members = ["status": "failed"]
        }
        return .event("verification", members)
    }

    /// A line for a person. If there is no code in time, it says so.
    var line: String {
        switch self {
        case .waiting: "\(label): it cannot be told whether somebody is in the middle of this call."
        case .code(let code):
            "Code: \(code.emoji.joined(separator: " "))   \(code.groupedDigits)   (\(code.emojiNames.joined(separator: ", "))). "
                + "Read it to each other: if both see the same, nobody is in the middle."
        case .failed: Self.warning
        }
    }

    /// For the window.
    var label: String {
        switch self {
        case .waiting: "No code"
        case .code(let code): "\(code.emoji.joined(separator: " "))   \(code.groupedDigits)"
        case .failed: Self.warning
        }
    }

    private static let warning = "The check for somebody in the middle has failed: do not trust this call."
}
