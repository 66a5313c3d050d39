/// A dialog that a page's script opens: the HTML standard, “simple dialogs”.
public struct ScriptDialog: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case alert
        case confirm
        /// A prompt with its default text.
        case prompt(defaultText: String)
        /// A confirmation before the page is left.
        case beforeUnload
    }

    public let kind: Kind
    /// The message of the page, made safe to show: see ``init(kind:message:origin:)``.
    public let message: String
    /// The origin of the page; `nil` if it is opaque.
    public let origin: WebOrigin?

    /// The maximum length of a message, which is more than a person reads.
    static let longestMessage = 2_000
    static let mostLines = 40

    /// Creates a dialog.
    ///
    /// - Parameters:
    ///   - kind: The kind, whose default text may have any length and content, as the message.
    ///   - message: The message. Control characters and bidirectional formatting characters, which could make it look
    ///     like the panel's own text, are removed.
    package init(kind: Kind, message: String, origin: WebOrigin?) {
        self.kind = if case .prompt(let text) = kind { .prompt(defaultText: Self.shown(text)) } else { kind }
        self.message = Self.shown(message)
        self.origin = origin
    }

    /// Returns the part of a page's text that is shown to the person.
    static func shown(_ message: String) -> String {
        var text = ""
        var lines = 1
        var count = 0
        for scalar in message.unicodeScalars {
            if count == longestMessage { return text + "…" }
            switch scalar.value {
            // U+2028 and U+2029 are ends of lines and paragraphs.
            case 0x0A, 0x2028, 0x2029:
                lines += 1
                if lines > mostLines { return text + "…" }
            case 0x09: break
            case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: continue
            default: break
            }
            text.unicodeScalars.append(scalar)
            count += 1
        }
        return text
    }
}

/// An answer to a dialog, by the person or the flood limit.
package enum ScriptDialogAnswer: Sendable, Hashable {
    case accept
    /// OK, with the text of a prompt.
    case text(String)
    case cancel

    /// The result of `confirm`.
    package var isConfirmed: Bool { self != .cancel }

    /// The result of `prompt`: the text after OK, `nil` after Cancel.
    package var text: String? {
        switch self {
        case .text(let text): text
        case .accept: ""
        case .cancel: nil
        }
    }
}
