internal import Foundation

/// What the app hears of what pages post, and how it answers: for fuzzing.
@_spi(Testing) public enum WebPageMessages {
    /// The page's own words, if the app hears them.
    ///
    /// - Parameter page: The origin of the page that the view shows.
    public static func text(in message: String, allowed: OriginList, of page: WebOrigin?) -> String? {
        guard let heard = WebPageMessage(message, allowed: allowed, of: page) else { return nil }
        precondition(heard.origin == page && allowed.contains(heard.origin), "heard from another origin")
        precondition(message.hasSuffix(heard.text), "the page said something else")
        return heard.text
    }

    /// Whatever is said to a page stays one text there: it ends no literal and begins no tag, and reads as it was meant.
    public static func checkLiteral(_ text: String) {
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
