/// Text of others as a terminal, a log or a window may show it: without what begins a line, moves the cursor, changes colours, or
/// reverses or hides the text after it.
package enum PrintableText {
    /// With a space in place of each such character, and at most `limit` Unicode scalars.
    package static func replacing(_ text: String, limit: Int = .max) -> String {
        let shown = text.unicodeScalars.prefix(limit).map { isPrintable($0) ? $0 : " " }
        return String(String.UnicodeScalarView(shown))
    }

    /// Without such characters, and of the others at most `limit` Unicode scalars.
    package static func removing(_ text: String, limit: Int) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.lazy.filter(isPrintable).prefix(limit)))
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
