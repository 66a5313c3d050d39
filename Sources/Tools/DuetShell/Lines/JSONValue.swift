/// A JSON value whose objects keep the order of their members.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    /// A number with this many decimals; NaN and infinity are written as `null`.
    case decimal(Double, places: Int)
    case string(String)
    case array([JSONValue])
    case object(Members)

    /// The members of an object, in order. A value that is `nil` is written as `null`.
    package struct Members: Sendable, Equatable, ExpressibleByDictionaryLiteral {
        fileprivate struct Member: Sendable, Equatable {
            let name: String
            let value: JSONValue
        }

        fileprivate var all: [Member]

        package init(dictionaryLiteral elements: (String, any JSONConvertible)...) {
            all = elements.map { Member(name: $0, value: $1.json) }
        }

        /// The value of a member, which stands behind the others if it is new.
        package subscript(name: String) -> any JSONConvertible {
            get { all.first { $0.name == name }?.value ?? .null }
            set {
                let member = Member(name: name, value: newValue.json)
                if let index = all.firstIndex(where: { $0.name == name }) {
                    all[index] = member
                } else {
                    all.append(member)
                }
            }
        }

        package static func + (first: Members, second: Members) -> Members {
            var sum = first
            sum.all += second.all
            return sum
        }

        package static func += (first: inout Members, second: Members) { first.all += second.all }
    }

    /// Appends the value as one line of UTF-8, without a line break.
    package func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .decimal(let value, let places): Self.write(value, places: places, into: &bytes)
        case .string(let value): Self.write(value, into: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.all.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// The line with a line break.
    package var line: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// Fixed-point notation. Beyond 10^15 a `Double` has no decimals left to write.
    private static func write(_ value: Double, places: Int, into bytes: inout [UInt8]) {
        guard value.isFinite else { return JSONValue.null.write(into: &bytes) }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = (value.magnitude * scale).rounded()
        guard places > 0, scaled < 1e15 else {
            return bytes.append(contentsOf: (value.magnitude < 1e15 ? String(Int64(value.rounded())) : "\(value)").utf8)
        }
        let digits = String(Int64(scaled))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        if value < 0, scaled > 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(contentsOf: padded.dropLast(places).utf8)
        bytes.append(UInt8(ascii: "."))
        bytes.append(contentsOf: padded.suffix(places).utf8)
    }

    private static func write(_ text: String, into bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20: escape(byte, into: &bytes)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        escapeControls(&bytes, from: start)
    }

    /// Escapes DEL and U+0080 to U+009F in written JSON, which may have them and on which terminals act.
    static func escapeControls(_ bytes: inout [UInt8], from start: Int = 0) {
        guard bytes[start...].contains(where: { $0 == 0x7F || $0 == 0xC2 }) else { return }
        let written = Array(bytes[start...])
        bytes.removeSubrange(start...)
        var index = 0
        while index < written.count {
            let byte = written[index]
            index += 1
            if byte == 0x7F {
                escape(byte, into: &bytes)
            } else if byte == 0xC2, index < written.count, written[index] < 0xA0 {
                escape(written[index], into: &bytes)
                index += 1
            } else {
                bytes.append(byte)
            }
        }
    }

    private static func escape(_ scalar: UInt8, into bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(hexDigits[Int(scalar >> 4)])
        bytes.append(hexDigits[Int(scalar & 15)])
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

extension JSONValue {
    /// `{"event":name, …}`
    package static func event(_ name: String, _ members: Members = [:]) -> JSONValue {
        .object(["event": name] + members)
    }
}

/// A value that JSON has, too.
package protocol JSONConvertible {
    var json: JSONValue { get }
}

extension JSONValue: JSONConvertible {
    package var json: JSONValue { self }
}

extension Bool: JSONConvertible {
    package var json: JSONValue { .bool(self) }
}

extension Int: JSONConvertible {
    package var json: JSONValue { .integer(self) }
}

extension String: JSONConvertible {
    package var json: JSONValue { .string(self) }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    package var json: JSONValue { .array(map(\.json)) }
}

extension Optional: JSONConvertible where Wrapped: JSONConvertible {
    package var json: JSONValue { self?.json ?? .null }
}

extension Double {
    package func json(places: Int) -> JSONValue { .decimal(self, places: places) }
}
