import Testing

@testable import DuetShell

@Suite("JSON that is written")
struct JSONValueTests {
    private func text(_ value: JSONValue) -> String { String(decoding: value.line, as: UTF8.self) }

    @Test("Members keep their order, and a line has one end")
    func order() {
        var members: JSONValue.Members = ["b": -1, "a": [JSONValue.null, .bool(true), .string("s")]]
        members["c"] = String?.none
        let value = JSONValue.event("x", members + ["d": [1.json, 2.json]])
        #expect(text(value) == #"{"event":"x","b":-1,"a":[null,true,"s"],"c":null,"d":[1,2]}"# + "\n")
    }

    @Test("Text is escaped so that it stays in its line")
    func escapes() {
        #expect(text(.string("\"\\\n\r\t\u{0}\u{1F}é🎉")) == #""\"\\\n\r\t\u0000\u001fé🎉""# + "\n")
    }

    @Test("What a terminal acts on is escaped, though JSON need not")
    func terminal() {
        let written = text(.string("a\u{7F}\u{80}\u{9B}2J\u{9F}\u{A0}ÿ\u{2082}"))
        #expect(written == #""a\u007f\u0080\u009b2J\u009f"# + "\u{A0}ÿ\u{2082}\"\n")
        #expect(text(.object(["\u{85}": "\u{9D}"])) == #"{"\u0085":"\u009d"}"# + "\n")
    }

    @Test(
        "Decimals",
        arguments: [
            (12.34, 1, "12.3"), (0.05, 1, "0.1"), (0, 1, "0.0"), (-0.04, 1, "0.0"), (-1.25, 1, "-1.3"),
            (7, 3, "7.000"),
            (0.0012345, 6, "0.001235"), (5.6, 0, "6"), (.nan, 1, "null"), (.infinity, 1, "null"),
            (1e300, 1, "1e+300"),
        ])
    func decimals(value: Double, places: Int, expected: String) {
        #expect(text(.decimal(value, places: places)) == expected + "\n")
    }
}
