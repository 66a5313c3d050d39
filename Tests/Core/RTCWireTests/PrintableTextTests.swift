import RTCWire
import Testing

@Suite("Text of others, as it may be shown")
struct PrintableTextTests {
    private static let hostile = "a\u{1B}[2Jb\u{9B}31m\n\u{202E}c\u{2028}\u{200B}ä"

    @Test("What begins a line, moves the cursor, or reverses or hides text is replaced by spaces, or removed")
    func characters() {
        #expect(PrintableText.replacing(Self.hostile) == "a [2Jb 31m  c  ä")
        #expect(PrintableText.removing(Self.hostile, limit: 100) == "a[2Jb31mcä")
    }

    @Test("A limit counts what is looked at, or what is left")
    func limits() {
        #expect(PrintableText.replacing(Self.hostile, limit: 3) == "a [")
        #expect(PrintableText.removing(Self.hostile, limit: 3) == "a[2")
        #expect(PrintableText.removing("\u{1B}", limit: 0).isEmpty)
    }
}
