/// The reason why an operation on NATS failed, in one line, with what to do about it if that is known.
public struct NATSError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// A subject, key, header or option is invalid; nothing was sent.
        case invalidArgument
        /// No server of the list can be reached.
        case unreachable
        /// The server's certificate is not trusted, or the server and the configuration disagree about TLS.
        case untrusted
        /// The server refused the credentials.
        case unauthorized
        /// The server closed the connection for another reason, which the message has.
        case refused
        /// There is no connection at the moment; nothing was sent.
        case notConnected
        /// The connection was lost while an answer was awaited: whether the request was carried out is unknown.
        case connectionLost
        /// No answer came in time: whether the request was carried out is unknown.
        case timeout
        /// Nobody listens on the subject of the request, so that nobody has carried it out.
        case noResponders
        /// The message is larger than the server accepts, or than the configuration's limit.
        case payloadTooLarge
        /// Too much was published while there is no connection.
        case bufferFull
        case tooManySubscriptions
        case tooManyRequests
        /// The account may not subscribe to this subject.
        case permissionDenied
        /// The server knows no headers (before version 2.2).
        case headersUnsupported
        /// The server broke its protocol; the connection was closed.
        case protocolViolation
        /// The client is draining: it takes no new subscriptions and requests.
        case draining
        /// The client was closed.
        case closed
        /// The task was cancelled: whether the request was carried out is unknown.
        case cancelled
        /// An answer of JetStream cannot be understood.
        case malformedAnswer
        /// JetStream refused.
        case jetStream(JetStreamError)
        /// ``KeyValueStore/create(_:_:)``: the key has a value.
        case keyExists
        /// ``KeyValueStore/update(_:_:revision:)``: another revision of the key is the last one.
        case wrongLastSequence
        /// The server is too old for a bucket on several servers.
        case unsuitableServer
        /// The bucket does not exist.
        case bucketNotFound
        /// The bucket was deleted and created again, or has lost its last entries: what was read from it is void.
        case bucketReset
        /// More keys match than the caller wanted to have.
        case tooManyKeys
    }

    public var code: Code
    public var message: String
    public var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the request may have been carried out though it failed. Read again before it is repeated.
    package var isOutcomeUnknown: Bool {
        switch code {
        case .connectionLost, .timeout, .cancelled, .malformedAnswer: true
        default: false
        }
    }
}

/// An error of the JetStream API, as a server reports it.
public struct JetStreamError: Hashable, Sendable {
    /// The class of the error, with the numbers of HTTP: 400, 404, 503, …
    package var code: Int
    /// The error itself, such as 10059 for a stream that does not exist.
    package var errorCode: Int
    package var description: String

    static let messageNotFound = 10_037
    static let streamNotFound = 10_059
    /// "wrong last sequence: 7", and from version 2.12 on the same without the number.
    static let wrongLastSequence: Set = [10_071, 10_164]
}

extension NATSError {
    init(_ error: JetStreamError) {
        switch error.errorCode {
        case JetStreamError.streamNotFound: self.init(.bucketNotFound, "the bucket does not exist")
        // The description has the sequence, by which somebody who may not read could count writes.
        case let code where JetStreamError.wrongLastSequence.contains(code):
            self.init(.wrongLastSequence, "wrong last sequence")
        default: self.init(.jetStream(error), "JetStream: \(error.description) (\(error.errorCode))")
        }
    }
}
