/// How people are shown a name that nobody has proved. Its owner may have made it up so that the identifier beside it is cut off, or
/// looks like a part of it.
public enum UnprovenName {
    /// In characters. Together with an identifier it fits a window's title and the system's screen of a call.
    public static let longest = 24

    /// The name without parentheses, in one line without runs of spaces, and no longer than ``longest``; `nil` if nothing of it is to
    /// be seen.
    public static func shown(_ name: String) -> String? {
        let scalars = name.unicodeScalars.filter { !parentheses.contains($0) }
        let words = scalars.split { $0.properties.isWhitespace || blanks.contains($0) }.map {
            String(String.UnicodeScalarView($0))
        }
        let line = words.filter { $0.unicodeScalars.contains { !joiners.contains($0) } }.joined(separator: " ")
        guard line.count > longest else { return line.isEmpty ? nil : line }
        return String(line.prefix(longest - 1)) + "…"
    }

    /// The name, and the identifier of whoever calls itself so: `Bob (mallory)`; the identifier alone where there is no other name.
    public static func label(_ name: String?, of identifier: String) -> String {
        guard let name = name.flatMap(shown), name != identifier else { return identifier }
        return "\(name) (\(identifier))"
    }

    private static let parentheses: Set<Unicode.Scalar> = [
        "(", ")", "⁽", "⁾", "₍", "₎", "❨", "❩", "❪", "❫", "⟮", "⟯", "⦅", "⦆", "﴾", "﴿", "﹙", "﹚", "（", "）", "｟", "｠",
    ]
    /// Letters and signs that look like a space: the fillers of Hangul, and the empty cell of Braille.
    private static let blanks: Set<Unicode.Scalar> = [
        "\u{115F}", "\u{1160}", "\u{2800}", "\u{3164}", "\u{FFA0}",
    ]
    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]
}
