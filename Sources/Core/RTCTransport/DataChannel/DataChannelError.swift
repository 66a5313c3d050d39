/// An invalid use of a data channel.
package struct DataChannelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. Cases may be added.
    package enum Code: Sendable, Hashable {
        /// The parameters contradict each other or exceed the protocol's limits.
        case invalidParameters
        /// The stream identifier belongs to another channel.
        case identifierInUse
        /// There are as many channels as there may be.
        case tooManyChannels
        /// The message is larger than the peer accepts.
        case messageTooLarge
        /// The channel is not open yet.
        case notOpen
        /// The channel is closing, closed, or unknown.
        case closed
        /// Too many bytes wait to be sent.
        case sendBufferFull
    }

    package let code: Code
    /// The cause of the error, and how to fix it.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
