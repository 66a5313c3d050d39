/// A panel that a page's script asks for: the HTML standard, "simple dialogs".
public struct ScriptDialog: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case alert
        case confirm
        /// With the text that is there at the beginning.
        case prompt(defaultText: String)
        /// The page would rather not be left.
        case beforeUnload
    }

    public let kind: Kind
    /// What the page says, made safe to show: see ``init(kind:message:origin:)``.
    public let message: String
    /// Who says it. Nothing for an opaque origin.
    public let origin: WebOrigin?

    /// More than a person reads in a panel.
    static let longestMessage = 2_000
    static let mostLines = 40

    /// - Parameters:
    ///   - kind: With a default text of any length and content, as the message.
    ///   - message: Control characters, and those that turn the direction of writing, are left out: they could make a page's
    ///     words look like the panel's own.
    public init(kind: Kind, message: String, origin: WebOrigin?) {
        self.kind = if case .prompt(let text) = kind { .prompt(defaultText: Self.shown(text)) } else { kind }
        self.message = Self.shown(message)
        self.origin = origin
    }

    /// What a person is shown of a page's words.
    static func shown(_ message: String) -> String {
        var text = ""
        var lines = 1
        var count = 0
        for scalar in message.unicodeScalars {
            if count == longestMessage { return text + "…" }
            switch scalar.value {
            case 0x0A:
                lines += 1
                if lines > mostLines { return text + "…" }
            case 0x09: break
            case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: continue
            default: break
            }
            text.unicodeScalars.append(scalar)
            count += 1
        }
        return text
    }
}

/// What a person, or the flood limit, answers to a dialog.
public enum ScriptDialogAnswer: Sendable, Hashable {
    case accept
    /// OK, with the text of a prompt.
    case text(String)
    case cancel

    /// What `confirm` returns.
    public var isConfirmed: Bool { self != .cancel }

    /// What `prompt` returns: the text after OK, null after Cancel.
    public var text: String? {
        switch self {
        case .text(let text): text
        case .accept: ""
        case .cancel: nil
        }
    }
}
