/// An error of the engine's public API.
///
/// A struct with a ``code``, so that codes can be added without breaking a `switch`. The ``message`` says what happened
/// and what to do about it.
public struct RTCError: Error, Sendable, Hashable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        enum Value: String {
            case invalidState, invalidDescription, invalidCandidate, invalidArgument, messageTooLarge, channelClosed,
                sendBufferFull, network, crypto, connectionFailed, internalError
        }
        let value: Value

        /// The method is not allowed in the current state, such as answering without an offer.
        public static let invalidState = Code(value: .invalidState)
        /// A session description could not be parsed or applied.
        public static let invalidDescription = Code(value: .invalidDescription)
        /// An ICE candidate could not be parsed, or matches no media section.
        public static let invalidCandidate = Code(value: .invalidCandidate)
        /// A parameter is invalid.
        public static let invalidArgument = Code(value: .invalidArgument)
        /// The message is larger than the peer accepts.
        public static let messageTooLarge = Code(value: .messageTooLarge)
        /// The data channel is closed or closing.
        public static let channelClosed = Code(value: .channelClosed)
        /// The send buffer is full. `DataChannel.send` waits instead.
        public static let sendBufferFull = Code(value: .sendBufferFull)
        /// The connection failed because no socket could be opened. The message says why.
        public static let network = Code(value: .network)
        /// A certificate is invalid, or the cryptographic library failed.
        public static let crypto = Code(value: .crypto)
        /// The connection failed, and nothing can be sent. The message says why. An ICE restart may help.
        public static let connectionFailed = Code(value: .connectionFailed)
        /// The connection failed for good because of a bug of this package. The message says what to report.
        public static let internalError = Code(value: .internalError)
    }

    public let code: Code
    public let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.value.rawValue): \(message)" }
}
