/// An element of `Forwarded`: what one proxy says of a request. RFC 7239, section 4.
struct ForwardedElement: Equatable {
    /// The values of the parameters, without quotes, by their name in lowercase.
    var parameters: [String: String] = [:]

    /// The maximum size of all fields together, in bytes.
    static let maximumLength = 16 * 1024
    private static let maximumCount = 64
    private static let maximumParameterCount = 16

    /// Parses the fields of a request.
    ///
    /// - Parameter fields: The values of all fields named `Forwarded`, in their order.
    /// - Returns: `nil` if something is malformed: then it is unknown where an element begins.
    static func parse(_ fields: [String]) -> [ForwardedElement]? {
        var elements: [ForwardedElement] = []
        var size = 0
        for field in fields {
            size += field.utf8.count
            guard size <= maximumLength else { return nil }
            var parser = Parser(bytes: Array(field.utf8))
            guard let parsed = parser.elements(), elements.count + parsed.count <= maximumCount else { return nil }
            elements += parsed
        }
        return elements
    }

    private struct Parser {
        let bytes: [UInt8]
        var index = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

        mutating func elements() -> [ForwardedElement]? {
            var result: [ForwardedElement] = []
            while true {
                guard let element = element() else { return nil }
                // A list may have empty elements: RFC 9110, section 5.6.1.2.
                if !element.parameters.isEmpty { result.append(element) }
                guard let byte = next else { return result }
                guard byte == UInt8(ascii: ","), result.count < ForwardedElement.maximumCount else { return nil }
                index += 1
            }
        }

        /// Parses up to a comma or the end.
        private mutating func element() -> ForwardedElement? {
            var element = ForwardedElement()
            while true {
                skipSpace()
                if let byte = next, byte != UInt8(ascii: ","), byte != UInt8(ascii: ";") {
                    guard let (name, value) = parameter(), element.parameters[name] == nil,
                        element.parameters.count < ForwardedElement.maximumParameterCount
                    else { return nil }
                    element.parameters[name] = value
                    skipSpace()
                }
                guard next == UInt8(ascii: ";") else { return element }
                index += 1
            }
        }

        private mutating func parameter() -> (name: String, value: String)? {
            guard let name = token(), next == UInt8(ascii: "=") else { return nil }
            index += 1
            guard let value = next == UInt8(ascii: "\"") ? quotedString() : token() else { return nil }
            return (name.lowercased(), value)
        }

        private mutating func token() -> String? {
            let start = index
            while let byte = next, Self.isTokenByte(byte) { index += 1 }
            return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
        }

        /// RFC 9110, section 5.6.4.
        private mutating func quotedString() -> String? {
            index += 1
            var text: [UInt8] = []
            while let byte = next {
                index += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let escaped = next, escaped == 9 || escaped >= 32, escaped != 127 else { return nil }
                    index += 1
                    text.append(escaped)
                case 9, 32...126, 128...: text.append(byte)
                default: return nil
                }
            }
            return nil
        }

        private mutating func skipSpace() {
            while let byte = next, byte == 9 || byte == 32 { index += 1 }
        }

        /// RFC 9110, section 5.6.2. Also a colon and brackets, with which some proxies write addresses without quotes.
        private static func isTokenByte(_ byte: UInt8) -> Bool {
            switch byte {
            case 48...57, 65...90, 97...122: true
            default: "!#$%&'*+-.^_`|~:[]".utf8.contains(byte)
            }
        }
    }
}
