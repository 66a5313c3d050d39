/// The name of a bucket: letters, digits, `-` and `_`, at most 64 of them (ADR-8).
package struct KeyValueBucketName: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package var description: String { text }

    /// - Throws: ``NATSError`` `invalidArgument`.
    package init(_ text: String) throws(NATSError) {
        guard 1...64 ~= text.utf8.count, text.utf8.allSatisfy({ KeyCharacters.isOfName($0) }) else {
            throw NATSError(.invalidArgument, "this is no name of a bucket: \(ReadableText.of(text))")
        }
        self.text = text
    }
}

/// A key: tokens of letters, digits and `-/_=`, separated by dots, at most 512 bytes (ADR-8). `_kv` is reserved as a first token.
package struct KeyValueKey: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package var description: String { text }
    package static let maximumLength = 512

    /// - Throws: ``NATSError`` `invalidArgument`.
    package init(_ text: String) throws(NATSError) {
        guard KeyCharacters.areValid(text.utf8, allowingWildcards: false) else {
            throw NATSError(.invalidArgument, "this is no key: \(ReadableText.of(text))")
        }
        self.text = text
    }

    init?(received text: some StringProtocol) {
        guard KeyCharacters.areValid(text.utf8, allowingWildcards: false) else { return nil }
        self.text = String(text)
    }
}

/// The keys that a watch asks for. `*` stands for any one token, `>` at the end for one or more.
package struct KeyValueFilter: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package var description: String { text }

    /// All keys.
    package static let all = KeyValueFilter(unchecked: ">")

    /// - Throws: ``NATSError`` `invalidArgument`.
    package init(_ text: String) throws(NATSError) {
        guard KeyCharacters.areValid(text.utf8, allowingWildcards: true) else {
            throw NATSError(.invalidArgument, "this is no key, nor one with wildcards: \(ReadableText.of(text))")
        }
        self.text = text
    }

    package init(_ key: KeyValueKey) {
        text = key.text
    }

    private init(unchecked text: String) {
        self.text = text
    }

    package func matches(_ key: KeyValueKey) -> Bool {
        NATSSubjectFilter(unchecked: text).matches(NATSSubject(unchecked: key.text))
    }
}

private enum KeyCharacters {
    static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    static func areValid(_ bytes: some Collection<UInt8>, allowingWildcards: Bool) -> Bool {
        guard bytes.count <= KeyValueKey.maximumLength, !bytes.starts(with: "_kv".utf8),
            SubjectTokens.areValid(bytes, allowingWildcards: allowingWildcards)
        else { return false }
        return bytes.split(separator: SubjectTokens.dot).allSatisfy { token in
            allowingWildcards && SubjectTokens.isWildcard(token)
                || token.allSatisfy { isOfName($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "=") }
        }
    }
}
