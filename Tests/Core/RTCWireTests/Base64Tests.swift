import RTCWire
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "The vectors of RFC 4648, section 10, with padding and without",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, coded: String) {
        let bytes = Array(plain.utf8)
        #expect(Base64.encode(bytes) == coded)
        #expect(Base64.decode(coded) == bytes)
        let bare = coded.prefix { $0 != "=" }
        #expect(Base64.encode(bytes, as: .url) == String(bare))
        #expect(Base64.decode(bare, as: .url) == bytes)
    }

    @Test(
        "Standard Base64 has one spelling",
        arguments: [
            "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "====", "Z===", "Zm 9", "Zm9v\n", "Zm-_", "=Zm9", "Zm9v====",
            "Zg==Zg==", "ä===",
        ])
    func standardSpelling(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("Base64url has one spelling", arguments: ["Zg==", "Zh", "Z", "Zm9", "Z+8", "Z/8", "Zm 8", "Zm9v\n", "é"])
    func urlSpelling(text: String) {
        #expect(Base64.decode(text, as: .url) == nil)
    }

    @Test("All bytes survive, whatever their number", arguments: [Base64.Variant.standard, .url])
    func allBytes(variant: Base64.Variant) {
        let bytes = (0...255).map { UInt8($0) }
        for count in 0...4 {
            let part = Array(bytes.dropLast(count))
            #expect(Base64.decode(Base64.encode(part, as: variant), as: variant) == part)
        }
    }

    @Test("The last two characters tell the alphabets apart")
    func alphabets() {
        #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
        #expect(Base64.encode([0xFB, 0xFF], as: .url) == "-_8")
    }
}
