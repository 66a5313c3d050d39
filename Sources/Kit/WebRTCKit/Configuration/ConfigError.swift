/// An error that describes an invalid value of a ``Config``.
public struct ConfigError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the invalid field, such as `video.minBitrate` or `iceServers[1].urlStrings[0]`.
    public let field: String
    /// What is wrong with the value.
    public let problem: String
    /// How to correct it.
    public let remedy: String

    public var description: String { "\(field) \(problem): \(remedy)" }
}

extension ConfigError {
    /// The location of a value in a configuration.
    struct Path {
        private let text: String

        init() {
            text = ""
        }

        private init(text: String) {
            self.text = text
        }

        init(_ keys: [any CodingKey]) {
            self = keys.reduce(Path()) { path, key in
                key.intValue.map { path[$0] } ?? path[key.stringValue]
            }
        }

        subscript(name: String) -> Path { Path(text: text.isEmpty ? name : "\(text).\(name)") }
        subscript(index: Int) -> Path { Path(text: "\(text)[\(index)]") }

        func error(_ problem: String, remedy: String) -> ConfigError {
            ConfigError(field: text.isEmpty ? "the configuration" : text, problem: problem, remedy: remedy)
        }
    }

    fileprivate init(_ error: DecodingError, remedy: String) {
        switch error {
        case .keyNotFound(let key, let context):
            self = Path(context.codingPath + [key]).error("is missing", remedy: remedy)
        case .valueNotFound(_, let context): self = Path(context.codingPath).error("is null", remedy: remedy)
        case .typeMismatch(_, let context), .dataCorrupted(let context):
            self = Path(context.codingPath).error("has another form", remedy: remedy)
        @unknown default: self = Path().error("cannot be read", remedy: remedy)
        }
    }
}

extension Decoder {
    /// - Throws: ``ConfigError``
    func configContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        do {
            return try container(keyedBy: type)
        } catch let error as DecodingError {
            throw ConfigError(error, remedy: "write an object")
        }
    }
}

extension KeyedDecodingContainer {
    /// - Parameter expected: The valid values, to follow “write” in the message.
    /// - Throws: ``ConfigError``
    func field<Value: Decodable>(_ key: Key, expected: String) throws -> Value {
        do {
            return try decode(Value.self, forKey: key)
        } catch {
            throw configError(error, at: key, remedy: "write \(expected)")
        }
    }

    /// Decodes a field; `nil` if it is missing or `null`.
    ///
    /// - Parameter expected: The valid values, to follow “write” in the message.
    /// - Throws: ``ConfigError``
    func optionalField<Value: Decodable>(_ key: Key, expected: String) throws -> Value? {
        do {
            return try decodeIfPresent(Value.self, forKey: key)
        } catch {
            throw configError(error, at: key, remedy: "write \(expected), or leave it out")
        }
    }

    private func configError(_ error: any Error, at key: Key, remedy: String) -> ConfigError {
        switch error {
        case let error as ConfigError: error
        case let error as DecodingError: ConfigError(error, remedy: remedy)
        // A number out of range becomes a DecodingError only when it leaves the decoder.
        default: ConfigError.Path(codingPath + [key]).error("has another form", remedy: remedy)
        }
    }
}
