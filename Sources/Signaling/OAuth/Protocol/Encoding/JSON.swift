/// A JSON text (RFC 8259) from a server: metadata, keys, tokens.
///
/// It is stricter than most parsers, because its content determines an identity: repeated names in an object, invalid numbers,
/// single surrogates and trailing data are refused. The depth is limited here, the size by the caller.
enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// - Returns: `nil` for invalid JSON.
    init?(_ bytes: some Sequence<UInt8>) {
        var reader = JSONReader(Array(bytes))
        guard let value = reader.text() else { return nil }
        self = value
    }

    /// A member of an object. `null` counts as missing, as servers use it.
    subscript(name: String) -> JSON? {
        guard case .object(let members) = self, let value = members[name], value != .null else { return nil }
        return value
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The strings of an array that contains nothing else.
    var strings: [String]? {
        guard case .array(let items) = self else { return nil }
        let strings = items.compactMap(\.string)
        return strings.count == items.count ? strings : nil
    }

    /// The text, with members sorted by name, without white space.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let number):
            // Whole numbers have no decimal point, which all parsers accept.
            Int64(exactly: number).map(String.init) ?? (number.isFinite ? "\(number)" : "null")
        case .string(let text): Self.quoted(text)
        case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { Self.quoted($0.key) + ":" + $0.value.text }
                .joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

private struct JSONReader {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    private static let deepest = 16

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func text() -> JSON? {
        guard let value = value(), peek() == nil else { return nil }
        return value
    }

    /// The next byte that is not white space, without consuming it.
    private mutating func peek() -> UInt8? {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return bytes[index]
            }
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        index += 1
        return true
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let end = index + word.utf8CodeUnitCount
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard end <= bytes.count, bytes[index..<end].elementsEqual(expected) else { return false }
        index = end
        return true
    }

    private mutating func value() -> JSON? {
        switch peek() {
        case UInt8(ascii: "{"): nested { $0.object() }
        case UInt8(ascii: "["): nested { $0.array() }
        case UInt8(ascii: "\""): string().map(JSON.string)
        case UInt8(ascii: "t"): take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): take("null") ? .null : nil
        case .some: number()
        case nil: nil
        }
    }

    private mutating func nested(_ read: (inout JSONReader) -> JSON?) -> JSON? {
        guard depth < Self.deepest else { return nil }
        depth += 1
        index += 1
        defer { depth -= 1 }
        return read(&self)
    }

    private mutating func object() -> JSON? {
        var members: [String: JSON] = [:]
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            guard peek() == UInt8(ascii: "\""), let name = string(), take(UInt8(ascii: ":")), let value = value() else {
                return nil
            }
            guard members.updateValue(value, forKey: name) == nil else { return nil }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}")) ? .object(members) : nil
    }

    private mutating func array() -> JSON? {
        var items: [JSON] = []
        if take(UInt8(ascii: "]")) { return .array(items) }
        repeat {
            guard let value = value() else { return nil }
            items.append(value)
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) ? .array(items) : nil
    }

    private mutating func string() -> String? {
        index += 1
        var text: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text += Array(String(Character(scalar)).utf8)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = codeUnit() else { return nil }
            guard 0xD800..<0xDC00 ~= unit else { return Unicode.Scalar(unit) }
            guard take("\\u"), let low = codeUnit(), 0xDC00..<0xE000 ~= low else { return nil }
            return Unicode.Scalar(0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        default: return nil
        }
    }

    private mutating func codeUnit() -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        index += 4
        return unit
    }

    /// RFC 8259, section 6: no leading zero or plus, digits on both sides of the decimal point.
    private mutating func number() -> JSON? {
        let start = index
        if index < bytes.count, bytes[index] == UInt8(ascii: "-") { index += 1 }
        let whole = digits()
        guard whole > 0, whole == 1 || bytes[index - whole] != UInt8(ascii: "0") else { return nil }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard digits() > 0 else { return nil }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard digits() > 0 else { return nil }
        }
        guard index - start <= 64 else { return nil }
        return Double(String(decoding: bytes[start..<index], as: UTF8.self)).flatMap { $0.isFinite ? .number($0) : nil }
    }

    private mutating func digits() -> Int {
        let start = index
        while index < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[index] { index += 1 }
        return index - start
    }
}
