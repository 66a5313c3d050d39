/// What a page said, with where it was said: as our script in the page's main frame passes it on.
///
///     origin " " document "\n" text
struct WebPageMessage: Sendable, Hashable {
    /// Bytes of the text.
    static let longestText = 65_536
    /// More than the first line has.
    private static let longestHead = 400

    let origin: WebOrigin
    let document: WebPageBridge.Document
    let text: String

    /// - Parameters:
    ///   - allowed: Whose pages may talk.
    ///   - page: The origin of the page that the view shows, by its address; `nil` for none of the web.
    /// - Returns: `nil` for what the app does not hear: another origin's words, too many of them, or none.
    init?(_ message: String, allowed: OriginList, of page: WebOrigin?) {
        guard message.utf8.count <= Self.longestText + Self.longestHead, let end = message.firstIndex(of: "\n") else {
            return nil
        }
        let words = message[..<end].split(separator: " ")
        guard words.count == 2, let origin = WebOrigin(String(words[0])), allowed.contains(origin), page == origin
        else { return nil }
        self.origin = origin
        document = WebPageBridge.Document(name: String(words[1]))
        text = String(message[message.index(after: end)...])
    }
}
