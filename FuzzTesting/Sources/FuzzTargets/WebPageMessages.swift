import Foundation

@testable import RTCWebView

/// Parsing of page messages and encoding of replies.
enum WebPageMessages {
    /// Returns the text of a page's message, if the app accepts it.
    ///
    /// - Parameter page: The origin of the page that the view shows.
    static func text(in message: String, allowed: OriginList, of page: WebOrigin?) -> String? {
        guard let heard = WebPageMessage(message, allowed: allowed, of: page) else { return nil }
        precondition(heard.origin == page && allowed.contains(heard.origin), "heard from another origin")
        precondition(message.hasSuffix(heard.text), "the page said something else")
        return heard.text
    }

    /// Checks that any text is encoded as one JavaScript string literal, without ending it or opening a tag, and
    /// decodes to itself.
    static func checkLiteral(_ text: String) {
        let literal = Array(WebPageBridge.literal(text).utf8)
        let quote = UInt8(ascii: "\"")
        precondition(literal.count >= 2 && literal.first == quote && literal.last == quote)
        precondition(
            literal.dropFirst().dropLast().allSatisfy { (0x20..<0x7F).contains($0) && $0 != quote && $0 != 0x3C },
            "the text leaves its literal: \(text)")
        let read = try? JSONDecoder().decode(String.self, from: Data(literal))
        precondition(read.map { Array($0.utf8) } == Array(text.utf8), "the page reads something else: \(text)")
    }
}
