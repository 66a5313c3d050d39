/// The reason why a message, or a member of one, is invalid.
public struct MalformedMessage: Error, Hashable, Sendable, CustomStringConvertible {
    /// A description for the developer of the other client, without the values themselves.
    public var description: String
    /// Whether the message is only too large.
    package var isTooLarge: Bool

    package init(_ description: String, isTooLarge: Bool = false) {
        self.description = description
        self.isTooLarge = isTooLarge
    }

    init(_ description: String, isTooLarge: Bool = false, at path: [any CodingKey]) {
        let place = path.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined(separator: ".")
        self.init(place.isEmpty ? description : "\(place): \(description)", isTooLarge: isTooLarge)
    }

    /// Describes a decoding error without quoting the message.
    init(_ error: any Error) {
        switch error {
        case let error as MalformedMessage: self = error
        case DecodingError.keyNotFound(let key, let context):
            self.init("“\(key.stringValue)” is missing", at: context.codingPath)
        case DecodingError.valueNotFound(_, let context):
            self.init("the value is missing", at: context.codingPath)
        case DecodingError.typeMismatch(_, let context):
            self.init("the value is of another kind", at: context.codingPath)
        case DecodingError.dataCorrupted(let context):
            self.init("the value cannot be used", at: context.codingPath)
        default: self.init("the message cannot be used")
        }
    }
}
