/// The reason why a client has no connection, in one line, with what to do about it if that is known.
public struct SignalingClientError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The URL is invalid.
        case url
        /// The server cannot be reached, or speaks another protocol.
        case unreachable
        /// The server's certificate is not trusted.
        case untrusted
        /// The server refused, for the reason that the code says.
        case refused(SignalingErrorCode)
        /// The credential is that of another user than the one who was signed in. The client has ended; connected calls
        /// continue.
        case subjectChanged
        /// The user has signed out: there is no credential until they sign in again. The client has ended; connected
        /// calls continue.
        case signedOut
        /// Too many messages are queued.
        case tooMuchWaiting
        /// `connect` was not called, or the client has ended.
        case notConnected
        /// The events were not read.
        case eventsNotRead
    }

    public var code: Code
    public var message: String
    public var description: String { message }

    /// Creates an error for ``SignalingClient/Configuration/token`` to throw: `subjectChanged` and `signedOut` end the
    /// client.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
