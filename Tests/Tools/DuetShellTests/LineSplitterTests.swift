import Testing

@testable import DuetShell

@Suite("Lines of a stream of bytes")
struct LineSplitterTests {
    private func split(_ pieces: [String], limit: Int = 100) -> [String] {
        var splitter = LineSplitter(maximumLineLength: limit)
        var lines: [String] = []
        func take(_ element: LineReader.Element) {
            switch element {
            case .line(let line): lines.append(String(decoding: line, as: UTF8.self))
            case .tooLong: lines.append("too long")
            case .end: lines.append("end")
            }
        }
        for piece in pieces { splitter.append(Array(piece.utf8)[...], handle: take) }
        splitter.finish(handle: take)
        return lines
    }

    @Test("Lines end at line feeds, wherever the bytes are cut")
    func cuts() {
        #expect(split(["a\nbc\n\n", "d", "e\n", "f"]) == ["a", "bc", "", "de", "f"])
        #expect(split(["a\n"]) == ["a"])
        #expect(split([]) == [])
    }

    @Test("A line that is too long is thrown away, and only that line")
    func tooLong() {
        #expect(split(["abc\nabcd\nabc\n"], limit: 3) == ["abc", "too long", "abc"])
        #expect(split(["ab", "cd", "ef\nab\n"], limit: 3) == ["too long", "ab"])
        #expect(split(["abcd"], limit: 3) == ["too long"])
    }
}
