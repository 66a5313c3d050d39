/// Base64 (RFC 4648, section 4), with padding, for the protocol and TURN credentials.
enum Base64 {
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    /// The value of each character; 255 for all others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let second = index + 1 < bytes.count ? bytes[index + 1] : 0
            let third = index + 2 < bytes.count ? bytes[index + 2] : 0
            let group = UInt32(bytes[index]) << 16 | UInt32(second) << 8 | UInt32(third)
            text.append(characters[Int(group >> 18)])
            text.append(characters[Int(group >> 12 & 63)])
            text.append(index + 1 < bytes.count ? characters[Int(group >> 6 & 63)] : padding)
            text.append(index + 2 < bytes.count ? characters[Int(group & 63)] : padding)
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: `nil` for text that `encode` would not produce.
    static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode($0) }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var index = 0
        while index < text.count {
            let isLast = index + 4 == text.count
            var pads = 0
            if isLast, text[index + 3] == padding { pads = text[index + 2] == padding ? 2 : 1 }
            var group: UInt32 = 0
            for offset in 0..<4 {
                let value = offset >= 4 - pads ? 0 : values[Int(text[index + offset])]
                guard value < 64 else { return nil }
                group = group << 6 | UInt32(value)
            }
            // Unused bits must be zero, so that nothing has two spellings.
            guard pads == 0 || group & (pads == 2 ? 0xFFFF : 0xFF) == 0 else { return nil }
            bytes.append(UInt8(group >> 16 & 255))
            if pads < 2 { bytes.append(UInt8(group >> 8 & 255)) }
            if pads < 1 { bytes.append(UInt8(group & 255)) }
            index += 4
        }
        return bytes
    }
}
