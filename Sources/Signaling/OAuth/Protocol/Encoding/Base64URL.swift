/// Base64url without padding (RFC 4648, section 5; RFC 7515, section 2).
enum Base64URL {
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each character; 255 for all others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var (text, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(characters[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(characters[Int(bits << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes with the alphabet and padding of RFC 4648, section 4, as HTTP uses them.
    static func padded(_ bytes: [UInt8]) -> String {
        let text = encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }

    /// - Returns: `nil` for text that ``encode(_:)`` would not produce, so that nothing has two spellings.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var (bytes, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        bytes.reserveCapacity(text.utf8.count / 4 * 3 + 2)
        for character in text.utf8 {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        // Six remaining bits would be a character without a byte.
        guard count < 6, bits & ((1 << count) - 1) == 0 else { return nil }
        return bytes
    }
}
