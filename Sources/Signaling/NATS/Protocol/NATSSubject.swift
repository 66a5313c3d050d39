/// A subject to which messages are published: tokens that are separated by dots, without wildcards.
///
/// A token is not empty, is neither `*` nor `>`, and has no white space and no control characters. So a subject cannot end a
/// line of the protocol, or add an argument to it.
package struct NATSSubject: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package var description: String { text }

    /// The maximum length in bytes. A server refuses lines of more than 4,096, and a line may have two subjects.
    package static let maximumLength = 1_024

    /// - Throws: ``NATSError`` `invalidArgument`.
    package init(_ text: String) throws(NATSError) {
        guard SubjectTokens.areValid(text.utf8, allowingWildcards: false) else {
            throw NATSError(.invalidArgument, "this is no subject: \(ReadableText.of(text))")
        }
        self.text = text
    }

    /// A subject from the network.
    init?(received bytes: ArraySlice<UInt8>) {
        guard SubjectTokens.areValid(bytes, allowingWildcards: false),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self.text = text
    }

    /// For parts that are known to be valid.
    init(unchecked text: String) {
        assert(SubjectTokens.areValid(text.utf8, allowingWildcards: false))
        self.text = text
    }
}

/// A subject that a subscription asks for. `*` stands for any one token, `>` at the end for one or more.
package struct NATSSubjectFilter: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package var description: String { text }

    /// - Throws: ``NATSError`` `invalidArgument`.
    package init(_ text: String) throws(NATSError) {
        guard SubjectTokens.areValid(text.utf8, allowingWildcards: true) else {
            throw NATSError(.invalidArgument, "this is no subject, nor one with wildcards: \(ReadableText.of(text))")
        }
        self.text = text
    }

    package init(_ subject: NATSSubject) {
        text = subject.text
    }

    init(unchecked text: String) {
        assert(SubjectTokens.areValid(text.utf8, allowingWildcards: true))
        self.text = text
    }

    package var hasWildcards: Bool {
        text.utf8.split(separator: SubjectTokens.dot).contains { SubjectTokens.isWildcard($0) }
    }

    /// Whether a message to `subject` is one of those asked for.
    package func matches(_ subject: NATSSubject) -> Bool {
        var tokens = subject.text.utf8.split(separator: SubjectTokens.dot)[...]
        for wanted in text.utf8.split(separator: SubjectTokens.dot) {
            guard let token = tokens.popFirst() else { return false }
            if wanted.elementsEqual(">".utf8) { return true }
            if !wanted.elementsEqual("*".utf8), !wanted.elementsEqual(token) { return false }
        }
        return tokens.isEmpty
    }
}

enum SubjectTokens {
    static let dot = UInt8(ascii: ".")

    static func isWildcard(_ token: some Collection<UInt8>) -> Bool {
        token.count == 1 && (token.first == UInt8(ascii: "*") || token.first == UInt8(ascii: ">"))
    }

    static func areValid(_ bytes: some Collection<UInt8>, allowingWildcards: Bool) -> Bool {
        guard !bytes.isEmpty, bytes.count <= NATSSubject.maximumLength,
            !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F })
        else { return false }
        let tokens = bytes.split(separator: dot, omittingEmptySubsequences: false)
        for (index, token) in tokens.enumerated() {
            if token.isEmpty { return false }
            guard isWildcard(token) else { continue }
            guard allowingWildcards else { return false }
            if token.first == UInt8(ascii: ">"), index < tokens.count - 1 { return false }
        }
        return true
    }
}

/// Text from elsewhere as it may stand in an error or a log: of limited length, without control characters.
enum ReadableText {
    static func of(_ text: String, limit: Int = 200) -> String {
        var readable = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            readable.unicodeScalars.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
        }
        return readable
    }
}
