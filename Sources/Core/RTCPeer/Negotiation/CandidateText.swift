/// The text of a candidate, parsed as far as negotiation needs (RFC 8839, section 5.1).
///
///     candidate:<foundation> <component> <transport> <priority> <address> <port> typ <type> [<name> <value>] …
struct CandidateText {
    /// The text, starting with `candidate:`, without `a=`.
    let value: String
    /// The `ufrag` extension, which browsers add.
    let usernameFragment: String?

    /// A remote candidate; `nil` if the text is not a candidate.
    init?(remote text: String) {
        guard text.utf8.count <= SDPLimits.candidateSize, SDPText.isLine(text) else { return nil }
        let value = text.hasPrefix("a=") ? text.dropFirst(2) : text[...]
        let words = value.sdpWords
        guard value.hasPrefix("candidate:"), words.count >= 8, words[6] == "typ" else { return nil }
        var fragment: String?
        for index in stride(from: 8, to: words.count - 1, by: 2) where words[index] == "ufrag" {
            fragment = String(words[index + 1])
        }
        self.value = String(value)
        usernameFragment = fragment
    }

    /// A local candidate. Rejects only what could break the description.
    init?(local text: String) {
        guard text.hasPrefix("candidate:"), text.utf8.count <= SDPLimits.candidateSize, SDPText.isLine(text) else {
            return nil
        }
        value = text
        usernameFragment = nil
    }
}
