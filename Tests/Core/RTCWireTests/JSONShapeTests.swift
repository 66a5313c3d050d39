import RTCWire
import Testing

@Suite("A first look at JSON")
struct JSONShapeTests {
    private static func isWithinLimits(_ text: String) -> Bool { JSONShape.isWithinLimits(Array(text.utf8)) }

    @Test("Nesting and the number of values are bounded; what stands in strings does not count")
    func limits() {
        let (most, more) = (JSONShape.maximumDepth, JSONShape.maximumDepth + 1)
        #expect(Self.isWithinLimits(String(repeating: "[", count: most)))
        #expect(!Self.isWithinLimits(String(repeating: "[", count: more)))
        #expect(!Self.isWithinLimits(String(repeating: #"{"a":"#, count: more)))
        #expect(Self.isWithinLimits(#"""# + String(repeating: "[,", count: 2_000) + #"""#))
        #expect(Self.isWithinLimits(#"["\"[[[[[[[[[[[[[[[[[[[[[[[["]"#))
        let many = String(repeating: ",", count: JSONShape.maximumCount)
        #expect(!Self.isWithinLimits("[\(many)]"))
        #expect(Self.isWithinLimits("[\(many.dropLast())]"))
    }

    @Test("UTF-16 and UTF-32 are refused, in which halves of characters look like quotation marks")
    func encodings() {
        // “∀” is U+2200.
        let text = #"["∀","# + String(repeating: "[", count: 300)
        let units = text.utf16.map { (UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)) }
        #expect(!JSONShape.isWithinLimits(units.flatMap { [$0.0, $0.1] }))
        #expect(!JSONShape.isWithinLimits(units.flatMap { [$0.1, $0.0] }))
        #expect(!JSONShape.isWithinLimits([0xFF, 0xFE] + units.flatMap { [$0.0, $0.1] }))
        #expect(!JSONShape.isWithinLimits(units.flatMap { [$0.0, $0.1, 0, 0] }))
        #expect(!JSONShape.isWithinLimits(units.flatMap { [0, 0, $0.1, $0.0] }))
    }
}
