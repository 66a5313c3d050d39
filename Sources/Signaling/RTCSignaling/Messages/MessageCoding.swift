internal import RTCWire

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
    package init(
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

    /// Encodes the message as JSON in UTF-8, with its members in the order of their names: the same message is the same bytes.
    package func json() -> [UInt8] {
        // Only numbers that JSON cannot represent (infinity, NaN) fail.
        JSONText.encode(self) ?? Array(#"{"type":"ack"}"#.utf8)
    }
}

/// JSON in UTF-8.
package enum JSONText {
    /// - Returns: `nil` for anything else, or too deeply nested.
    package static func decode<Value: Decodable>(_: Value.Type, from bytes: [UInt8]) -> Value? {
        guard JSONShape.isWithinLimits(bytes) else { return nil }
        return try? JSONDecoder().decode(Value.self, from: Data(bytes))
    }

    /// Encodes with the members in alphabetical order, and dates in ISO 8601.
    ///
    /// - Returns: `nil` for numbers that JSON cannot represent: infinity, NaN.
    package static func encode(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        encoder.dateEncodingStrategy = .iso8601
        do {
            return Array(try encoder.encode(value))
        } catch {
            assertionFailure("\(error)")
            return nil
        }
    }
}
