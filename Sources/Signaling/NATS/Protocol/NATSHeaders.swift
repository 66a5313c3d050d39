/// The headers of a message, in order. Names are compared exactly, and may occur more than once (ADR-4).
package struct NATSHeaders: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    package var isEmpty: Bool { fields.isEmpty }

    /// The first value of a name.
    package subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// Adds a field.
    ///
    /// - Throws: ``NATSError`` `invalidArgument` if the name has other characters than ASCII's printable ones or a colon, or if the
    ///   value has a CR, an LF or a NUL, or white space around it, which no receiver would keep.
    package mutating func append(_ name: String, _ value: String) throws(NATSError) {
        guard Self.isName(name.utf8) else {
            throw NATSError(.invalidArgument, "this is no name of a header: \(ReadableText.of(name))")
        }
        guard Self.isValue(value.utf8), !Self.isPadded(value.utf8) else {
            throw NATSError(.invalidArgument, "the header \(name) cannot have this value")
        }
        fields.append(Field(name: name, value: value))
    }

    /// For fields that are known to be valid.
    init(unchecked fields: [(String, String)]) {
        self.fields = fields.map { Field(name: $0.0, value: $0.1) }
        assert(self.fields.allSatisfy { Self.isName($0.name.utf8) && Self.isValue($0.value.utf8) })
    }

    private static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { 33...126 ~= $0 && $0 != UInt8(ascii: ":") }
    }

    private static func isValue(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isPadded(_ bytes: String.UTF8View) -> Bool {
        bytes.first.map(isSpace) == true || bytes.last.map(isSpace) == true
    }
}

/// What a server says about a message that it made itself, such as 503 for a request that nobody answers.
package struct NATSStatus: Hashable, Sendable {
    /// Three digits.
    package let code: Int
    /// May be empty.
    package let description: String

    static let controlMessage = 100
    static let notFound = 404
    static let noResponders = 503
}

// MARK: On the wire: `NATS/1.0[ status[ description]] CRLF (name ":" value CRLF)* CRLF`

extension NATSHeaders {
    static let version = "NATS/1.0"
    static let maximumFieldCount = 256

    var encoded: [UInt8] {
        var bytes = Array("\(Self.version)\r\n".utf8)
        for field in fields {
            bytes += Array(field.name.utf8)
            bytes += [UInt8(ascii: ":"), 0x20]
            bytes += Array(field.value.utf8)
            bytes += [0x0D, 0x0A]
        }
        bytes += [0x0D, 0x0A]
        return bytes
    }

    /// Parses a block, which ends with an empty line.
    ///
    /// - Returns: `nil` for anything else than a block of version 1.0 in UTF-8 with up to 256 fields.
    static func parse(_ bytes: ArraySlice<UInt8>) -> (status: NATSStatus?, headers: NATSHeaders)? {
        var rest = bytes
        guard let first = takeLine(&rest), let status = parseFirst(first) else { return nil }
        var headers = NATSHeaders()
        while let line = takeLine(&rest) {
            if line.isEmpty { return rest.isEmpty ? (status.value, headers) : nil }
            guard headers.fields.count < maximumFieldCount, let colon = line.firstIndex(of: UInt8(ascii: ":")),
                isName(line[..<colon])
            else { return nil }
            var value = line[(colon + 1)...]
            while let byte = value.first, isSpace(byte) { value.removeFirst() }
            while let byte = value.last, isSpace(byte) { value.removeLast() }
            guard isValue(value), let text = String(validating: value, as: UTF8.self) else { return nil }
            headers.fields.append(Field(name: String(decoding: line[..<colon], as: UTF8.self), value: text))
        }
        return nil
    }

    /// The bytes before the next CRLF.
    private static func takeLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0x0A), end > rest.startIndex, rest[end - 1] == 0x0D else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<(end - 1)]
    }

    private struct ParsedStatus {
        let value: NATSStatus?
    }

    private static func parseFirst(_ line: ArraySlice<UInt8>) -> ParsedStatus? {
        guard line.starts(with: version.utf8) else { return nil }
        let rest = line.dropFirst(version.utf8.count)
        guard let separator = rest.first else { return ParsedStatus(value: nil) }
        guard isSpace(separator), isValue(rest), let text = String(validating: rest, as: UTF8.self) else { return nil }
        let words = text.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
        guard let digits = words.first else { return ParsedStatus(value: nil) }
        guard digits.utf8.count == 3, let code = Decimal.parse(digits.utf8) else { return nil }
        let description = words.count > 1 ? words[1].split { $0 == " " || $0 == "\t" }.joined(separator: " ") : ""
        return ParsedStatus(value: NATSStatus(code: Int(code), description: description))
    }
}

/// Numbers as the protocol has them.
enum Decimal {
    /// - Returns: `nil` for anything else than up to 19 digits: no sign, no white space.
    static func parse(_ bytes: some Collection<UInt8>) -> UInt64? {
        guard 1...19 ~= bytes.count else { return nil }
        var number: UInt64 = 0
        for byte in bytes {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            // 19 digits are less than 2^64.
            number = number &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
