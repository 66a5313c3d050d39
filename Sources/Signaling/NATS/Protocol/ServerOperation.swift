/// What a server says: one line, and for messages what follows it.
package enum ServerOperation: Hashable, Sendable {
    /// The JSON object of an INFO line.
    case info([UInt8])
    case message(subscription: UInt64, NATSMessage)
    /// A message whose subject, reply or headers are not valid. Some server let another client publish it.
    case invalidMessage(subscription: UInt64)
    /// A message that was skipped because it is larger than ``ProtocolLimits/payload``. `size`: in bytes.
    case oversizedMessage(subscription: UInt64, size: Int)
    case ping
    case pong
    case ok
    /// The text of an `-ERR` line, without quotes.
    case error(String)
}

/// A breach of the protocol by the server, after which nothing that it sends can be understood.
package enum ServerViolation: Error, Hashable, Sendable {
    case unknownOperation
    case lineTooLong
    /// A line feed without a carriage return.
    case badLineEnd
    case badArguments
    case badNumber
    /// More headers than message.
    case headersLongerThanMessage
    case headersTooLong
    /// More than the server itself says that it accepts.
    case messageTooLong
    /// A message does not end where its length says.
    case missingEnd
}

/// What a client accepts from a server.
package struct ProtocolLimits: Hashable, Sendable {
    /// The longest line in bytes, INFO apart. Servers have the same limit for lines of clients.
    package var line = 4_096
    /// The longest INFO line, which lists a cluster's servers.
    package var infoLine = 65_536
    /// The longest block of headers in bytes.
    package var headers = 65_536
    /// The largest message that is delivered, its headers apart. Larger ones are skipped.
    package var payload = 1_048_576
    /// The largest message that is skipped, its headers apart: what the server says that it accepts. Beyond it the server is at
    /// fault.
    package var announcedPayload = 67_108_864

    package init() {}
}
