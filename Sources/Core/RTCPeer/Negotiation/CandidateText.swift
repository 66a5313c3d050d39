/// The text of a candidate, as far as negotiation looks into it (RFC 8839, section 5.1).
///
///     candidate:<foundation> <component> <transport> <priority> <address> <port> typ <type> [<name> <value>] …
struct CandidateText {
    /// Beginning with `candidate:`, without `a=`.
    let value: String
    /// The extension `ufrag`, which browsers add.
    let usernameFragment: String?

    /// A candidate of the other side; `nil` for what is none.
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

    /// A candidate of ours. Only what could break the description is refused.
    init?(local text: String) {
        guard text.hasPrefix("candidate:"), text.utf8.count <= SDPLimits.candidateSize, SDPText.isLine(text) else {
            return nil
        }
        value = text
        usernameFragment = nil
    }
}
