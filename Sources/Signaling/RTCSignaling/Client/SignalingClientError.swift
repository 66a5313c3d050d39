/// Why a client has no connection: one line, with what to do about it where that is known.
public struct SignalingClientError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The address cannot be used.
        case url
        /// Nobody answers there, or not in this protocol.
        case unreachable
        /// The server's certificate is not trusted.
        case untrusted
        /// The server refused; the error's code says why.
        case refused(SignalingErrorCode)
        /// The credential is another person's than the one who was signed in. There is no further try; calls go on.
        case subjectChanged
        /// Nobody is signed in any more: no credential can be had until somebody signs in anew. There is no further try; calls go on.
        case signedOut
        /// More waits to be sent than is kept.
        case tooMuchWaiting
        /// `connect` was not called, or the client is done.
        case notConnected
        /// The events were not read.
        case eventsNotRead
    }

    public var code: Code
    public var message: String
    public var description: String { message }

    /// Makes one that a ``SignalingClient/Configuration/token`` may throw: after `subjectChanged` and `signedOut` the client ends.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
