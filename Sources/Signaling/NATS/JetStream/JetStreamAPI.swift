/// Requests to the JetStream API, whose answers are JSON.
struct JetStreamAPI: Sendable {
    let client: NATSClient
    let timeout: Duration
    static let prefix = "$JS.API"

    /// - Parameter path: The subject after the prefix.
    func call<Answer: Decodable>(
        _ path: String, _ request: some Encodable, _: Answer.Type
    ) async throws(NATSError) -> Answer {
        let subject = try NATSSubject("\(Self.prefix).\(path)")
        let message = try await client.request(subject, JSONCoding.encode(request), timeout: timeout)
        return try Self.decode(Answer.self, from: message.payload)
    }

    /// Reads an answer, which may be an error.
    static func decode<Answer: Decodable>(_: Answer.Type, from json: [UInt8]) throws(NATSError) -> Answer {
        if let failure = JSONCoding.decode(Failure.self, from: json) {
            throw NATSError(
                JetStreamError(
                    code: failure.error.code ?? 0, errorCode: failure.error.err_code ?? 0,
                    description: ReadableText.of(failure.error.description ?? "")))
        }
        guard let answer = JSONCoding.decode(Answer.self, from: json) else {
            throw NATSError(.malformedAnswer, "an answer of JetStream cannot be understood")
        }
        return answer
    }

    struct Empty: Encodable {}

    private struct Failure: Decodable {
        var error: Fields

        struct Fields: Decodable {
            var code: Int?
            var err_code: Int?
            var description: String?
        }
    }
}

/// The answer to a message that a stream has stored.
struct PublishAcknowledgement: Decodable {
    var stream: String
    var seq: UInt64
}

/// What JetStream says of a stream.
struct StreamInfo: Decodable {
    /// When the stream was created, as text.
    var created: String?
    var config: Configuration
    var state: State
    var cluster: Cluster?

    struct Configuration: Decodable {
        var name: String
        var allow_direct: Bool?
        var num_replicas: Int?
        var max_msgs_per_subject: Int?
        var max_age: Int64?
    }

    struct State: Decodable {
        var messages: UInt64
        var bytes: UInt64
        var last_seq: UInt64
    }

    struct Cluster: Decodable {
        var leader: String?
    }
}

/// What JetStream says of a consumer that it has created.
struct ConsumerInfo: Decodable {
    var name: String
    var num_pending: UInt64?
    var delivered: Delivered?

    struct Delivered: Decodable {
        var consumer_seq: UInt64?
    }
}

/// The answer to a request for a stored message.
struct StoredMessageAnswer: Decodable {
    var message: Message

    struct Message: Decodable {
        var subject: String
        var seq: UInt64
        /// In base64.
        var data: String?
        var hdrs: String?
    }
}
