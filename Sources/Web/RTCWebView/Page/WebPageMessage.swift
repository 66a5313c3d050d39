/// A page's message with its origin, as the content script in the main frame sends it.
///
///     origin " " document "\n" text
struct WebPageMessage: Sendable, Hashable {
    /// The maximum number of bytes of the text.
    static let longestText = 65_536
    /// The maximum length of the first line.
    private static let longestHead = 400

    let origin: WebOrigin
    let document: WebPageBridge.Document
    let text: String

    /// - Parameters:
    ///   - allowed: The origins whose pages may send messages.
    ///   - page: The origin of the view's current URL; `nil` if it is no web page.
    /// - Returns: `nil` for messages that are dropped: from another origin or one without TLS, too long, or malformed.
    init?(_ message: String, allowed: OriginList, of page: WebOrigin?) {
        guard message.utf8.count <= Self.longestText + Self.longestHead, let end = message.firstIndex(of: "\n") else {
            return nil
        }
        let words = message[..<end].split(separator: " ")
        guard words.count == 2, let origin = WebOrigin(String(words[0])), allowed.contains(origin), page == origin,
            // As for camera and microphone: whoever is on the network path writes into a page without TLS.
            origin.isPotentiallyTrustworthy
        else { return nil }
        self.origin = origin
        document = WebPageBridge.Document(name: String(words[1]))
        text = String(message[message.index(after: end)...])
    }
}
