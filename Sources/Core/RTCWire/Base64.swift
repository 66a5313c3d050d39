/// Base64 (RFC 4648). Bytes have one spelling: text that ``encode(_:as:)`` would not produce is refused, so that nothing compared as
/// text is accepted in another form.
package enum Base64 {
    package enum Variant: Sendable {
        /// RFC 4648, section 4: with `+`, `/` and padding.
        case standard
        /// RFC 4648, section 5, as RFC 7515, section 2 uses it: with `-` and `_`, without padding.
        case url
    }

    package static func encode(_ bytes: some Sequence<UInt8>, as variant: Variant = .standard) -> String {
        let bytes = Array(bytes)
        let characters = variant.table.characters
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(characters[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(characters[Int(bits << (6 - count) & 63)]) }
        if variant == .standard {
            while !text.count.isMultiple(of: 4) { text.append(padding) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: `nil` for text that ``encode(_:as:)`` would not produce.
    package static func decode(_ text: some StringProtocol, as variant: Variant = .standard) -> [UInt8]? {
        var text = String(text)
        return text.withUTF8 { decode($0, as: variant) }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>, as variant: Variant) -> [UInt8]? {
        var length = text.count
        if variant == .standard {
            guard length.isMultiple(of: 4) else { return nil }
            for _ in 0..<2 where length > 0 && text[length - 1] == padding { length -= 1 }
        }
        let values = variant.table.values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length / 4 * 3 + 2)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for character in text[..<length] {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        // Six remaining bits would be a character without a byte; other remaining bits must be zero.
        guard count < 6, bits & ((1 << count) - 1) == 0 else { return nil }
        return bytes
    }

    private static let padding = UInt8(ascii: "=")

    fileprivate struct Table: Sendable {
        let characters: [UInt8]
        /// The value of each character; 255 for all others.
        let values: [UInt8]

        init(last: String) {
            characters = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
            var values = [UInt8](repeating: 255, count: 256)
            for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
            self.values = values
        }
    }

    fileprivate static let standardTable = Table(last: "+/")
    fileprivate static let urlTable = Table(last: "-_")
}

extension Base64.Variant {
    fileprivate var table: Base64.Table { self == .standard ? Base64.standardTable : Base64.urlTable }
}
