internal import RTCWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The JSON of INFO and CONNECT lines, and of the JetStream API.
enum JSONCoding {
    /// A page of a large cluster's answers has some hundred values.
    private static let maximumCount = 65_536

    /// - Returns: `nil` for anything that is not such an object, or too deeply nested.
    static func decode<Value: Decodable>(_: Value.Type, from bytes: [UInt8]) -> Value? {
        guard JSONShape.isWithinLimits(bytes, count: maximumCount), String(validating: bytes, as: UTF8.self) != nil
        else {
            return nil
        }
        return try? JSONDecoder().decode(Value.self, from: Data(bytes))
    }

    /// In one line, as CONNECT must be.
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            return Array(try encoder.encode(value))
        } catch {
            // Only numbers that JSON cannot represent (infinity, NaN) fail.
            assertionFailure("\(error)")
            return Array("{}".utf8)
        }
    }
}
