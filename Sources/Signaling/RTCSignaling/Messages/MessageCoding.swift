#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Envelope {
    /// Decodes a message.
    ///
    /// - Parameter limit: The maximum length in bytes.
    /// - Throws: An error if it is not a JSON object with a `type`. A missing or invalid member results in `malformed`
    ///   instead, which keeps its number.
    public init(
        json bytes: some Collection<UInt8>, limit: Int = SignalingProtocol.maximumMessageSize
    ) throws(MalformedMessage) {
        guard bytes.count <= limit else { throw MalformedMessage("the message is too long", isTooLarge: true) }
        // Foundation would accept 512 levels and thousands of unknown members, and ignore invalid UTF-8 in them.
        guard JSONShape.isWithinLimits(bytes), String(validating: bytes, as: UTF8.self) != nil else {
            throw MalformedMessage("the message is not JSON in UTF-8, of at most 16 levels and 1,024 values")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            throw MalformedMessage(error)
        }
    }

    /// Encodes the message as JSON in UTF-8.
    public func json() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        do {
            return Array(try encoder.encode(self))
        } catch {
            // Only numbers that JSON cannot represent (infinity, NaN) fail.
            assertionFailure("\(error)")
            return Array(#"{"type":"ack"}"#.utf8)
        }
    }
}

enum JSONShape {
    static let maximumDepth = 16
    /// The total number of members and elements.
    static let maximumCount = 1_024

    /// Whether nesting and number of values are within the limits. Says nothing about the rest.
    static func isWithinLimits(_ bytes: some Collection<UInt8>) -> Bool {
        var depth = 0
        var count = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                count += 1
                if depth > maximumDepth || count > maximumCount { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","):
                count += 1
                if count > maximumCount { return false }
            default: continue
            }
        }
        return true
    }
}
