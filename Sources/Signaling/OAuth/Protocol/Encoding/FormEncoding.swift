/// `application/x-www-form-urlencoded` (RFC 6749, appendix B), for requests and redirects.
enum FormEncoding {
    /// Encodes parameters in order, also for use in a query.
    static func encode(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
    }

    /// Percent-encodes everything but RFC 3986's unreserved characters, which all decoders understand alike.
    static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Returns: `nil` if a name is repeated (forbidden by RFC 6749, section 3.1), an escape is invalid or not UTF-8, or there
    ///   are more than 64 parameters.
    static func decode(_ text: some StringProtocol) -> [String: String]? {
        var parameters: [String: String] = [:]
        let pairs = Array(text.utf8).split(separator: UInt8(ascii: "&"), maxSplits: 64)
        guard pairs.count <= 64 else { return nil }
        for pair in pairs {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = unescape(pair[..<equals]), let value = unescape(pair[equals...].dropFirst()) else {
                return nil
            }
            guard parameters.updateValue(value, forKey: name) == nil else { return nil }
        }
        return parameters
    }

    private static func unescape(_ text: ArraySlice<UInt8>) -> String? {
        var (bytes, rest) = ([UInt8](), text)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
