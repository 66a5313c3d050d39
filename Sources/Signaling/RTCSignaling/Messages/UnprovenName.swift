/// How to show a name that is not verified: its owner may have chosen it so that the identifier beside it is cut off,
/// or looks like a part of the name.
package enum UnprovenName {
    /// The maximum number of characters. Together with an identifier it fits a window title and the system's call
    /// screen.
    package static let longest = 24

    /// Returns the name without parentheses and runs of spaces, at most ``longest`` characters; `nil` if nothing
    /// visible remains.
    package static func shown(_ name: String) -> String? {
        let scalars = name.unicodeScalars.filter { !parentheses.contains($0) }
        let words = scalars.split { $0.properties.isWhitespace || blanks.contains($0) }.map {
            String(String.UnicodeScalarView($0))
        }
        let line = words.filter { $0.unicodeScalars.contains { !joiners.contains($0) } }.joined(separator: " ")
        guard line.count > longest else { return line.isEmpty ? nil : line }
        return String(line.prefix(longest - 1)) + "…"
    }

    /// Returns the name followed by the identifier, `Bob (mallory)`, or the identifier alone.
    package static func label(_ name: String?, of identifier: String) -> String {
        guard let name = name.flatMap(shown), name != identifier else { return identifier }
        return "\(name) (\(identifier))"
    }

    private static let parentheses: Set<Unicode.Scalar> = [
        "(", ")", "⁽", "⁾", "₍", "₎", "❨", "❩", "❪", "❫", "⟮", "⟯", "⦅", "⦆", "﴾", "﴿", "﹙", "﹚", "（", "）", "｟", "｠",
    ]
    /// Letters and symbols that look like a space: Hangul fillers, and the blank Braille pattern.
    private static let blanks: Set<Unicode.Scalar> = [
        "\u{115F}", "\u{1160}", "\u{2800}", "\u{3164}", "\u{FFA0}",
    ]
    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]
}
